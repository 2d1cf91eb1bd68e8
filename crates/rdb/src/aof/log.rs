//! All files of an append-only log, one after the other.

use std::io::{self, Read};
use std::{fmt, vec};

use super::{AofError, File, Manifest, Reader, Record};

/// Why a log could not be read.
#[derive(Debug)]
pub struct LogError {
    /// The file.
    pub name: Vec<u8>,
    /// Whether it is the last one: only that may be truncated and still be loaded, for callers
    /// that want it (`aof-load-truncated`).
    pub is_last: bool,
    /// What is wrong.
    pub cause: LogCause,
}

/// What is wrong with a file of a log.
#[derive(Debug)]
pub enum LogCause {
    /// It cannot be opened.
    Open(io::Error),
    /// Its content.
    Content(AofError),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name.escape_ascii())?;
        match &self.cause {
            LogCause::Open(error) => write!(f, "cannot be opened: {error}"),
            LogCause::Content(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LogError {}

/// Reads the files that a manifest names, in order. Files are opened by the caller's function, as
/// nothing here knows folders.
pub struct Log<R, O> {
    open: O,
    files: vec::IntoIter<File>,
    current: Option<(File, Reader<R>)>,
}

impl<R: Read, O: FnMut(&File) -> io::Result<Reader<R>>> Log<R, O> {
    /// Reads the files of `manifest`, each opened by `open` when its turn comes.
    pub fn new(manifest: &Manifest, open: O) -> Self {
        let files: Vec<File> = manifest.files().cloned().collect();
        Log { open, files: files.into_iter(), current: None }
    }

    /// The file that the last record came from.
    pub fn file(&self) -> Option<&File> {
        self.current.as_ref().map(|current| &current.0)
    }

    /// The next record, or `None` at the end of the last file.
    ///
    /// # Errors
    /// If a file cannot be opened, is broken, or ends early.
    #[allow(clippy::should_implement_trait)] // as `Reader`
    pub fn next(&mut self) -> Result<Option<Record>, LogError> {
        loop {
            if let Some((file, reader)) = &mut self.current {
                match reader.next() {
                    Ok(Some(record)) => return Ok(Some(record)),
                    Ok(None) => {}
                    Err(error) => {
                        return Err(LogError {
                            name: file.name.clone(),
                            is_last: self.files.len() == 0,
                            cause: LogCause::Content(error),
                        });
                    }
                }
            }
            let Some(file) = self.files.next() else { return Ok(None) };
            match (self.open)(&file) {
                Ok(reader) => self.current = Some((file, reader)),
                Err(error) => {
                    return Err(LogError {
                        name: file.name,
                        is_last: self.files.len() == 0,
                        cause: LogCause::Open(error),
                    });
                }
            }
        }
    }
}
