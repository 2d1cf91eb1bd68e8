//! Arguments of Python as words of a request, and how text is encoded and decoded.
//!
//! A word is bytes as they are, text in the client's encoding, or a number as Python writes it.
//! Anything else is refused before a byte of the request is sent.

use crate::errors;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView, PyString, PyTuple};

/// How text goes over the wire, and whether it comes back as text.
pub struct Encoding {
    /// Whether replies are decoded.
    pub decode: bool,
    /// Whether replies are as near to the protocol as objects can be: what is no text stays bytes,
    /// what can only be text is text.
    pub raw: bool,
    /// Whether the encoding is UTF-8, which needs no interpreter.
    utf8: bool,
    name: String,
    errors: String,
}

impl Encoding {
    /// An encoding and a way to treat what does not fit, by the names Python has for them.
    pub fn new(name: &str, errors: &str, decode: bool) -> Self {
        let plain = name.to_ascii_lowercase().replace(['-', '_'], "");
        Encoding {
            decode,
            raw: false,
            utf8: plain == "utf8",
            name: name.to_owned(),
            errors: errors.to_owned(),
        }
    }

    /// The same for raw replies.
    pub fn raw(mut self, raw: bool) -> Self {
        self.raw = raw;
        self
    }

    /// Whether text is UTF-8.
    pub fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// The text that bytes stand for.
    pub fn text(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<Py<PyAny>> {
        if self.utf8
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return Ok(PyString::new(py, text).into_any().unbind());
        }
        let bytes = PyBytes::new(py, bytes);
        let arguments = (self.name.as_str(), self.errors.as_str());
        Ok(bytes.call_method1(pyo3::intern!(py, "decode"), arguments)?.unbind())
    }

    /// Appends one word.
    fn append(&self, out: &mut Vec<u8>, word: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = word.py();
        if let Ok(text) = word.cast::<PyString>() {
            if self.utf8
                && let Ok(text) = text.to_str()
            {
                wire::append_word(out, text.as_bytes());
                return Ok(());
            }
            let arguments = (self.name.as_str(), self.errors.as_str());
            let bytes = text.call_method1(pyo3::intern!(py, "encode"), arguments)?;
            wire::append_word(out, bytes.cast::<PyBytes>()?.as_bytes());
        } else if let Ok(bytes) = word.cast::<PyBytes>() {
            wire::append_word(out, bytes.as_bytes());
        } else if word.is_instance_of::<PyBool>() {
            return Err(refusal(word));
        } else if let Ok(number) = word.cast::<PyInt>() {
            match number.extract::<i64>() {
                Ok(number) => append_integer(out, number),
                // As a number, whatever a subclass may call itself.
                Err(_) => {
                    let digits = py.get_type::<PyInt>().call_method1("__repr__", (number,))?;
                    wire::append_word(out, digits.cast::<PyString>()?.to_str()?.as_bytes());
                }
            }
        } else if let Ok(number) = word.cast::<PyFloat>() {
            let digits = PyFloat::new(py, number.value()).repr()?;
            wire::append_word(out, digits.to_str()?.as_bytes());
        } else if let Ok(bytes) = word.cast::<PyByteArray>() {
            wire::append_word(out, &bytes.to_vec());
        } else if word.is_instance_of::<PyMemoryView>() {
            let bytes = word.call_method0(pyo3::intern!(py, "tobytes"))?;
            wire::append_word(out, bytes.cast::<PyBytes>()?.as_bytes());
        } else {
            return Err(refusal(word));
        }
        Ok(())
    }

    /// The bytes of one word that is no `bytes` and no text in UTF-8.
    pub fn odd_word(&self, word: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let mut out = Vec::new();
        self.append(&mut out, word)?;
        // As it was appended: a line with its length, the bytes, the end of a line.
        let from = out.iter().position(|byte| *byte == b'\n').map_or(0, |line| line + 1);
        out.truncate(out.len().saturating_sub(2));
        out.drain(..from.min(out.len()));
        Ok(out)
    }

    /// Appends a request. Spaces divide its first word, so that `"CONFIG GET"` may be one. If it is
    /// refused nothing is appended.
    pub fn append_request(&self, out: &mut Vec<u8>, words: &Bound<'_, PyTuple>) -> PyResult<()> {
        let begin = out.len();
        let done = self.try_append(out, words);
        if done.is_err() {
            out.truncate(begin);
        }
        done
    }

    fn try_append(&self, out: &mut Vec<u8>, words: &Bound<'_, PyTuple>) -> PyResult<()> {
        let count = words.len();
        if count == 0 {
            return Err(errors::new(words.py(), "DataError", "a command needs a name"));
        }
        let first = words.get_item(0)?;
        match name_of(&first) {
            Some(name) if name.contains(&b' ') => {
                let parts = || name.split(|byte| *byte == b' ').filter(|part| !part.is_empty());
                wire::begin_request(out, parts().count() + count - 1);
                parts().for_each(|part| wire::append_word(out, part));
            }
            Some(name) => {
                wire::begin_request(out, count);
                wire::append_word(out, name);
            }
            None => {
                wire::begin_request(out, count);
                self.append(out, &first)?;
            }
        }
        for index in 1..count {
            self.append(out, &words.get_item(index)?)?;
        }
        Ok(())
    }
}

/// The bytes of a command's name, unless it is something odd.
pub fn name_of<'a>(word: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    if let Ok(text) = word.cast::<PyString>() {
        text.to_str().ok().map(str::as_bytes)
    } else {
        word.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes())
    }
}

fn append_integer(out: &mut Vec<u8>, number: i64) {
    let mut digits = [0; 20];
    let mut from = digits.len();
    let mut left = number.unsigned_abs();
    loop {
        from -= 1;
        digits[from] = b'0' + u8::try_from(left % 10).unwrap_or(0); // always below ten
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if number < 0 {
        from -= 1;
        digits[from] = b'-';
    }
    wire::append_word(out, &digits[from..]);
}

fn refusal(word: &Bound<'_, PyAny>) -> PyErr {
    let name = word.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    let text =
        format!("Invalid input of type: '{name}'. Convert to a bytes, string, int or float first.");
    errors::new(word.py(), "DataError", &text)
}
