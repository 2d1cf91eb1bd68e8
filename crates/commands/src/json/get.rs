//! JSON.GET.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::json::path::{Budget, Path};
use ::json::{Node, Style, write_string};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Protocol, Reply, Run, Spec, error,
};
use smallvec::SmallVec;
use types::{Documents, JsonTools, Parts};

use super::native::{self, Form};
use super::{document, text};

pub(super) const WRONG_FORMAT: CmdError = CmdError::new("ERR wrong reply format");
pub(super) const NOT_IN_RESP2: CmdError =
    CmdError::new("ERR FORMAT argument is not supported on RESP2");

/// Answers a document, or parts of it.
pub struct Get<'a> {
    key: Key<'a>,
    style: Style<'a>,
    /// In what form, if not as text.
    form: Option<Form>,
    /// `FORMAT` stands before the first path.
    is_format_first: bool,
    paths: SmallVec<[&'a [u8]; 2]>,
}

impl<'a> Command<'a> for Get<'a> {
    const SPEC: Spec = Spec {
        name: "json.get",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers the values at paths, as JSON text.",
        complexity: "O(N) in the size of what is answered, and in the values that paths visit \
                     that are not static",
        grammar: "key:key [INDENT indent:string] [NEWLINE newline:string] [SPACE space:string] \
                  [NOESCAPE] [FORMAT format=(STRING | EXPAND1 | EXPAND)] [path:string...]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.paths(Paths::From(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let mut get = Get {
            key: args.key()?,
            style: Style::default(),
            form: None,
            is_format_first: false,
            paths: SmallVec::new(),
        };
        while args.left() > 0 {
            get.argument(&mut args)?;
        }
        Ok(get)
    }
}

/// Whether a word could be the name of an option: most paths can not, and are spared five
/// comparisons.
#[inline]
fn may_be_option(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphabetic) && (5..=8).contains(&word.len())
}

impl<'a> Get<'a> {
    fn argument(&mut self, args: &mut Args<'a>) -> Result<(), CmdError> {
        let missing = || error::wrong_arity("json.get");
        let next = |args: &mut Args<'a>| args.take().ok_or_else(missing);
        if !args.peek().is_some_and(may_be_option) {
            self.paths.push(next(args)?);
        } else if args.token("INDENT") {
            self.style.indent = next(args)?;
        } else if args.token("NEWLINE") {
            self.style.newline = next(args)?;
        } else if args.token("SPACE") {
            self.style.space = next(args)?;
        } else if args.token("FORMAT") {
            self.is_format_first |= self.paths.is_empty();
            self.form = match next(args)? {
                b"STRING" => None,
                b"EXPAND1" => Some(Form::Shallow),
                b"EXPAND" => Some(Form::Expanded),
                _ => return Err(WRONG_FORMAT),
            };
        } else if !args.token("NOESCAPE") {
            self.paths.push(next(args)?);
        }
        Ok(())
    }
}

impl<H: Documents> Run<H> for Get<'_> {
    fn run(mut self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if out.protocol() == Protocol::Resp2 {
            if self.is_format_first {
                return Err(NOT_IN_RESP2);
            }
            self.form = None;
        }
        self.style.room = out.room();
        host.with_tools(|host, tools| {
            let path = match self.paths.as_slice() {
                [] => document::ROOT,
                [path] => path,
                _ => return self.several(host, tools, out),
            };
            match self.form {
                Some(form) => {
                    let path = document::path(tools, path)?;
                    expanded(host, self.key, tools, (&[path], form), out)
                }
                None => one(host, self.key, tools, (path, &self.style), out),
            }
        })?;
        Ok(Effect::None)
    }
}

impl Get<'_> {
    /// Several paths: an object of what each gives, by the paths as they were typed. What is no
    /// path is left out.
    fn several<H: Documents>(
        &self,
        host: &mut H,
        tools: &mut JsonTools,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let mut paths: Vec<Arc<Path>> = Vec::with_capacity(self.paths.len());
        let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
        for &word in &self.paths {
            if let Ok(path) = document::path(tools, word)
                && seen.insert(word)
            {
                paths.push(path);
            }
        }
        if let Some(form) = self.form {
            return expanded(host, self.key, tools, (&paths, form), out);
        }
        let mut buffer = tools.take_buffer();
        let found = document::look(host, self.key, tools.lookers(), |root, budget| {
            write_several(&paths, root, &self.style, (&mut buffer, budget))
        })?;
        match found {
            None => out.null(),
            Some(written) => {
                written?;
                out.bulk(&buffer);
            }
        }
        tools.give_buffer(buffer);
        Ok(())
    }
}

fn write_several(
    paths: &[Arc<Path>],
    root: Node<'_>,
    style: &Style<'_>,
    (out, budget): (&mut Vec<u8>, &mut Budget),
) -> Result<(), CmdError> {
    let is_legacy = paths.iter().all(|path| path.is_legacy());
    out.push(b'{');
    for (index, path) in paths.iter().enumerate() {
        if out.len() > style.room {
            // It is refused when it is written.
            return Ok(());
        }
        if index > 0 {
            out.push(b',');
        }
        text::line(style, 1, out);
        write_string(path.text().as_bytes(), out);
        out.push(b':');
        out.extend_from_slice(style.space);
        if !is_legacy {
            text::write_all(path, root, style, 1, (out, budget))?;
        } else if !text::write_first(path, root, style, 1, (out, budget))? {
            return Err(document::NO_PATH);
        }
    }
    if !paths.is_empty() {
        text::line(style, 0, out);
    }
    out.push(b'}');
    Ok(())
}

/// What one path gives, as text; a copy if that is the whole document as it is kept.
fn one<H: Documents>(
    host: &mut H,
    key: Key<'_>,
    tools: &mut JsonTools,
    (word, style): (&[u8], &Style<'_>),
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let Parts { paths, registry, buffer, budget } = tools.parts();
    let is_whole = style.is_compact() && matches!(word, b"." | b"$");
    let shown = if is_whole {
        whole(host, key, (word == b"$", buffer), out)?
    } else {
        let compiled;
        let path = match paths.cached(word) {
            Some(path) => path,
            None => {
                compiled = paths.get(word).map_err(document::of_path)?;
                &*compiled
            }
        };
        budget.pay(path.preparation()).map_err(document::of_path)?;
        let found = document::look(host, key, (registry, budget), |root, budget| {
            text::write_found(path, root, style, (buffer, budget))
        })?;
        match found {
            None => false,
            Some(found) => {
                if !found? {
                    return Err(document::NO_PATH);
                }
                out.bulk(buffer);
                true
            }
        }
    };
    if !shown {
        out.null();
    }
    Ok(())
}

/// Answers a whole document, if there is one; whether there is.
pub(super) fn whole<H: Documents>(
    host: &mut H,
    key: Key<'_>,
    (in_array, buffer): (bool, &mut Vec<u8>),
    out: &mut dyn Reply,
) -> Result<bool, CmdError> {
    let read = document::whole(host, key, |document| match document.text() {
        Some(text) if !in_array => out.bulk(text),
        _ => {
            buffer.clear();
            buffer.extend_from_slice(if in_array { b"[" } else { b"" });
            document.write(buffer);
            buffer.extend_from_slice(if in_array { b"]" } else { b"" });
            out.bulk(buffer);
        }
    })?;
    Ok(read.is_some())
}

/// What paths give as replies of their own types: an array per path.
fn expanded<H: Documents>(
    host: &mut H,
    key: Key<'_>,
    tools: &mut JsonTools,
    (paths, form): (&[Arc<Path>], Form),
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let mut buffer = tools.take_buffer();
    let found = document::look(host, key, tools.lookers(), |root, budget| {
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            let results = path.results(root, budget);
            all.push(results.map_err(document::of_path)?);
        }
        out.array(all.len());
        for results in &all {
            out.array(results.len());
            results.iter().for_each(|result| native::reply(result, form, &mut buffer, out));
        }
        Ok(())
    })?;
    tools.give_buffer(buffer);
    match found {
        Some(done) => done,
        None => {
            out.null();
            Ok(())
        }
    }
}
