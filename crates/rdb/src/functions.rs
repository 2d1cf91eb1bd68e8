//! `FUNCTION DUMP` payloads: libraries of functions by themselves.
//!
//! ```text
//!   | f5 | code | f5 | code | ... | version, 2 bytes | crc64 of all before, 8 bytes |
//! ```
//!
//! They are taken one by one, as Redis does: what is wrong with the second is found when the first
//! has been looked at.

use std::io::{Read, Write};

use crate::{Encoder, Error, Input, dump, length, text};

const FUNCTION: u8 = 0xf5;
/// As the candidates of Redis 7.0 wrote it.
const FUNCTION_PRE_GA: u8 = 0xf6;

/// Why a payload is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionsError {
    /// Too short, too new, or changed on the way.
    Footer,
    /// It holds something else.
    Type,
    /// A library ends early or is broken.
    Library,
    /// The name of a library of a candidate is.
    Name,
    /// The name of its engine is.
    Engine,
    /// Its description is.
    Description,
    /// Its code is.
    Blob,
}

impl FunctionsError {
    /// What `FUNCTION RESTORE` answers.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            FunctionsError::Footer => "ERR DUMP payload version or checksum are wrong",
            FunctionsError::Type => "ERR given type is not a function",
            FunctionsError::Library => "ERR Failed loading library payload",
            FunctionsError::Name => "ERR Failed loading library name",
            FunctionsError::Engine => "ERR Failed loading engine name",
            FunctionsError::Description => "ERR Failed loading library description",
            FunctionsError::Blob => "ERR Failed loading library blob",
        }
    }
}

/// The payload of libraries, of which the code is given.
///
/// ```
/// use kvist_rdb::{Encoder, Functions, dump_functions};
/// let mut encoder = Encoder::new(Default::default(), true);
/// let payload = dump_functions(&mut encoder, [&b"#!lua name=a\n"[..]].into_iter());
/// let mut functions = Functions::open(&payload).unwrap();
/// assert_eq!(functions.next().unwrap().unwrap(), b"#!lua name=a\n");
/// assert_eq!(functions.next(), Ok(None));
/// ```
#[must_use]
pub fn dump_functions<'c>(encoder: &mut Encoder, codes: impl Iterator<Item = &'c [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for code in codes {
        // Writing to a vector does not fail.
        let _ = write(&mut out, code, encoder);
    }
    dump::seal(out)
}

/// Writes a library, in files as in payloads.
pub(crate) fn write<W: Write>(
    out: &mut W,
    code: &[u8],
    encoder: &mut Encoder,
) -> std::io::Result<()> {
    out.write_all(&[FUNCTION])?;
    text::write(out, code, encoder.compressor())
}

/// The libraries of a payload, one after the other.
pub struct Functions<'p> {
    input: Input<&'p [u8]>,
}

impl<'p> Functions<'p> {
    /// Checks the footer.
    ///
    /// # Errors
    /// [`FunctionsError::Footer`].
    pub fn open(payload: &'p [u8]) -> Result<Self, FunctionsError> {
        let libraries = dump::open(payload).map_err(|_| FunctionsError::Footer)?;
        Ok(Functions { input: Input::with_block(libraries, payload.len()) })
    }

    /// The code of the next library; `None` behind the last.
    ///
    /// # Errors
    /// There is something else; nothing is to be read behind it.
    #[allow(clippy::should_implement_trait)] // there is nothing behind an error
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, FunctionsError> {
        let input = &mut self.input;
        if input.unread().map_err(|_| FunctionsError::Type)?.is_empty() {
            return Ok(None);
        }
        match input.byte() {
            Ok(FUNCTION) => text::read(input).map(Some).map_err(|_| FunctionsError::Library),
            Ok(FUNCTION_PRE_GA) => old(input).map(Some).map_err(|(what, _)| what),
            _ => Err(FunctionsError::Type),
        }
    }
}

/// A library as the candidates of Redis 7.0 wrote it, in the form of later ones.
pub(crate) fn old<R: Read>(input: &mut Input<R>) -> Result<Vec<u8>, (FunctionsError, Error)> {
    let part = |what| move |error| (what, error);
    let name = text::read(input).map_err(part(FunctionsError::Name))?;
    let engine = text::read(input).map_err(part(FunctionsError::Engine))?;
    let described = length::read_plain(input).map_err(part(FunctionsError::Blob))?;
    if described != 0 {
        // There is no place for it any more.
        text::read(input).map_err(part(FunctionsError::Description))?;
    }
    let code = text::read(input).map_err(part(FunctionsError::Blob))?;
    Ok([b"#!", &engine[..], b" name=", &name, b"\n", &code].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(payload: &[u8]) -> Result<Vec<Vec<u8>>, FunctionsError> {
        let mut functions = Functions::open(payload)?;
        let mut found = Vec::new();
        while let Some(code) = functions.next()? {
            found.push(code);
        }
        Ok(found)
    }

    #[test]
    fn payloads_are_those_of_redis() {
        let mut encoder = Encoder::new(crate::Limits::default(), true);
        let code = b"#!lua name=a\nredis.register_function('fa', function() return 1 end)";
        let payload = dump_functions(&mut encoder, [&code[..]].into_iter());
        let wanted = [b"\xf5@C", &code[..], b"\n\x00\x04\x0c\xd0/\xbd\xd6~]"].concat();
        assert_eq!(payload, wanted);
        assert_eq!(texts(&payload).unwrap(), [code]);
        let none = dump_functions(&mut encoder, std::iter::empty());
        assert_eq!(none, b"\n\x00]\x9b\\@\x0f\x7f\xa2\xda");
        assert_eq!(texts(&none), Ok(vec![]));
    }

    #[test]
    fn what_is_broken_is_named() {
        let what = |body: &[u8]| texts(&dump::seal(body.to_vec())).unwrap_err();
        assert_eq!(what(b"\x00\x01v"), FunctionsError::Type);
        for broken in [&b"\xf5"[..], b"\xf5\x20abc", b"\xf5\x01a\xf5", b"\xf5\xc3\x05\x05abcde"] {
            assert_eq!(what(broken), FunctionsError::Library);
        }
        assert_eq!(what(b"\xf6"), FunctionsError::Name);
        assert_eq!(what(b"\xf6\x01n"), FunctionsError::Engine);
        assert_eq!(what(b"\xf6\x01n\x01e\x01"), FunctionsError::Description);
        assert_eq!(what(b"\xf6\x01n\x01e\x00"), FunctionsError::Blob);
        let old = dump::seal(b"\xf6\x01n\x03LUA\x01\x01d\x01c".to_vec());
        assert_eq!(texts(&old).unwrap(), [b"#!LUA name=n\nc"]);
        for len in 0..old.len() {
            assert_eq!(texts(&old[..len]), Err(FunctionsError::Footer));
        }
    }
}
