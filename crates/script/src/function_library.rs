//! Libraries of functions (`FUNCTION LOAD`): what a library is, and which ones there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::CmdError;

use crate::source::{ScriptFlags, digest, first_line};

/// The flags of a function are those of a script.
pub type FunctionFlags = ScriptFlags;

/// A function of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What `FCALL` calls it.
    pub name: String,
    /// What its author says about it.
    pub description: Option<Vec<u8>>,
    /// How it wants to be run.
    pub flags: FunctionFlags,
}

/// A library that was loaded: its code and the functions it registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    pub(crate) name: String,
    pub(crate) code: Arc<[u8]>,
    pub(crate) digest: [u8; 40],
    pub(crate) functions: Vec<Function>,
}

impl Library {
    /// A library whose code has run before, and of which it is known what that registered: nothing
    /// runs. O(length).
    ///
    /// # Errors
    /// Its first line is not understood, or it cannot have registered this.
    ///
    /// ```
    /// use kvist_script::{Function, Library};
    /// let f = Function { name: "f".to_owned(), description: None, flags: Default::default() };
    /// let library = Library::known(b"#!lua name=l\n...", vec![f]).unwrap();
    /// assert_eq!(library.name(), "l");
    /// assert!(library.function(b"f").is_some());
    /// assert!(Library::known(b"#!lua name=l\n...", vec![]).is_err());
    /// ```
    pub fn known(code: &[u8], functions: Vec<Function>) -> Result<Self, CmdError> {
        let header = Header::new(code)?;
        let are_names = functions.iter().all(|function| is_name(function.name.as_bytes()));
        let mut names: Vec<&str> = functions.iter().map(|function| &*function.name).collect();
        names.sort_unstable();
        if names.is_empty() || !are_names || names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(CmdError::new("ERR No functions registered"));
        }
        Ok(finished(header.name, code, functions))
    }

    /// The name its first line gives.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The code as it was sent, first line included.
    #[must_use]
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// Its functions, in the order they were registered.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// A function by name, in any case: if several differ only in that, the one written so.
    #[must_use]
    pub fn function(&self, name: &[u8]) -> Option<&Function> {
        let exact = |function: &&Function| function.name.as_bytes() == name;
        let alike = |function: &&Function| function.name.as_bytes().eq_ignore_ascii_case(name);
        let functions = || self.functions.iter();
        functions().find(exact).or_else(|| functions().find(alike))
    }
}

/// A library while its code runs for the first time.
#[derive(Debug, Default)]
pub struct Loading {
    /// The functions so far, each with where Lua keeps it.
    pub functions: Vec<(Function, i32)>,
}

/// A library's first line.
#[derive(Debug)]
pub struct Header<'c> {
    pub name: String,
    /// What is to be compiled, from the end of that line.
    pub code: &'c [u8],
}

impl<'c> Header<'c> {
    /// Reads `#!lua name=…`.
    pub fn new(code: &'c [u8]) -> Result<Self, CmdError> {
        const INVALID: CmdError = CmdError::new("ERR Invalid library metadata");
        let line = first_line(code).ok_or(CmdError::new("ERR Missing library metadata"))?;
        let line = line.ok_or(INVALID)?;
        let words = wire::split_line(line).ok_or(INVALID)?;
        let (engine, options) = words.split_first().ok_or(INVALID)?;
        let mut name = None;
        for option in options {
            match option.get(..5) {
                Some(key) if key.eq_ignore_ascii_case(b"name=") => {
                    if name.replace(&option[5..]).is_some() {
                        let text = "ERR Invalid metadata value, name argument was given multiple \
                                    times";
                        return Err(CmdError::new(text));
                    }
                }
                _ => {
                    let text = "ERR Invalid metadata value given: ";
                    return Err(CmdError::quoting(text, option, ""));
                }
            }
        }
        let name = name.ok_or(CmdError::new("ERR Library name was not given"))?;
        let name = name_of(name).ok_or(CmdError::new(
            "ERR Library names can only contain letters, numbers, or underscores(_) and must be \
             at least one character long",
        ))?;
        let engine = &engine[2..];
        if !engine.eq_ignore_ascii_case(b"lua") {
            return Err(CmdError::quoting("ERR Engine '", engine, "' not found"));
        }
        Ok(Header { name, code: &code[line.len()..] })
    }
}

/// A name of letters, digits and underscores.
pub fn name_of(name: &[u8]) -> Option<String> {
    is_name(name).then(|| String::from_utf8(name.to_vec()).ok()).flatten()
}

fn is_name(name: &[u8]) -> bool {
    let fits = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.iter().all(fits)
}

/// Makes a library of what its code registered.
pub fn finished(name: String, code: &[u8], functions: Vec<Function>) -> Library {
    Library { name, code: code.into(), digest: digest(code), functions }
}

/// The libraries of a server and the functions in them, whose names are unique among all libraries
/// whatever their case.
///
/// ```
/// let libraries = kvist_script::Libraries::default();
/// assert!(libraries.function(b"f").is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    libraries: BTreeMap<String, Arc<Library>>,
    /// By names in lower case.
    functions: BTreeMap<String, Arc<Library>>,
}

impl Libraries {
    /// Whether a library with this code could be added, as far as its first line tells: to be asked
    /// before its code runs.
    ///
    /// # Errors
    /// With the text of Redis.
    pub fn admit(&self, code: &[u8], replace: bool) -> Result<(), CmdError> {
        let header = Header::new(code)?;
        match self.libraries.get(&header.name) {
            Some(_) if !replace => Err(already(&header.name)),
            _ => Ok(()),
        }
    }

    /// Adds a library, instead of one of the same name if that is allowed.
    ///
    /// # Errors
    /// With the text of Redis if there is a library or a function of that name; nothing is changed
    /// then.
    pub fn add(&mut self, library: Arc<Library>, replace: bool) -> Result<(), CmdError> {
        if !replace && self.libraries.contains_key(library.name()) {
            return Err(already(library.name()));
        }
        for function in library.functions() {
            match self.functions.get(&function.name.to_ascii_lowercase()) {
                Some(owner) if owner.name() != library.name() => {
                    let text = format!("ERR Function {} already exists", function.name);
                    return Err(CmdError::owned(text));
                }
                _ => {}
            }
        }
        self.remove(library.name().as_bytes());
        for function in library.functions() {
            self.functions.insert(function.name.to_ascii_lowercase(), library.clone());
        }
        self.libraries.insert(library.name().to_owned(), library);
        Ok(())
    }

    /// Removes a library and its functions; it, if there was one.
    pub fn remove(&mut self, name: &[u8]) -> Option<Arc<Library>> {
        let library = self.libraries.remove(std::str::from_utf8(name).ok()?)?;
        for function in library.functions() {
            self.functions.remove(&function.name.to_ascii_lowercase());
        }
        Some(library)
    }

    /// The library a function is in.
    #[must_use]
    pub fn function(&self, name: &[u8]) -> Option<&Arc<Library>> {
        self.functions.get(&std::str::from_utf8(name).ok()?.to_ascii_lowercase())
    }

    /// A library by name.
    #[must_use]
    pub fn library(&self, name: &[u8]) -> Option<&Arc<Library>> {
        self.libraries.get(std::str::from_utf8(name).ok()?)
    }

    /// All libraries, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Library>> {
        self.libraries.values()
    }

    /// How many libraries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.libraries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.libraries.is_empty()
    }

    /// How many functions there are in all.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.libraries.values().map(|library| library.functions.len()).sum()
    }
}

fn already(name: &str) -> CmdError {
    CmdError::owned(format!("ERR Library '{name}' already exists"))
}
