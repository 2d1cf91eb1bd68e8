//! Settings in the types that the server wants.
//!
//! Which type a directive has stands in its list, so that a wrong one is a mistake of this crate.

use std::time::Duration;

use crate::settings::Settings;
use crate::value::Value;

impl Settings {
    /// An integer in the type the server wants; the directive's range makes it fit.
    pub(crate) fn int<T: TryFrom<i64>>(&self, name: &str) -> T {
        let value = match self.value(name) {
            Some(&Value::Int(value)) => T::try_from(value).ok(),
            _ => None,
        };
        value.unwrap_or_else(|| unreachable!("'{name}' is listed as an integer of this range"))
    }

    pub(crate) fn yes(&self, name: &str) -> bool {
        self.value(name) == Some(&Value::Bool(true))
    }

    pub(crate) fn bytes(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(&Value::Memory(bytes)) => bytes,
            _ => unreachable!("'{name}' is listed as an amount of memory"),
        }
    }

    pub(crate) fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(&Value::Word(word)) => word,
            _ => unreachable!("'{name}' is listed as a choice of words"),
        }
    }

    pub(crate) fn text(&self, name: &str) -> &[u8] {
        match self.value(name) {
            Some(Value::Text(text)) => text,
            _ => unreachable!("'{name}' is listed as a string"),
        }
    }

    pub(crate) fn string(&self, name: &str) -> String {
        String::from_utf8_lossy(self.text(name)).into_owned()
    }

    pub(crate) fn path(&self, name: &str) -> Option<String> {
        Some(self.string(name)).filter(|path| !path.is_empty())
    }

    pub(crate) fn secret(&self, name: &str) -> Option<Vec<u8>> {
        Some(self.text(name).to_vec()).filter(|secret| !secret.is_empty())
    }
}

/// So many seconds, where 0 means never.
pub(crate) fn some_seconds(seconds: u64) -> Option<Duration> {
    non_zero(seconds).map(Duration::from_secs)
}

/// So many milliseconds, where 0 means never.
pub(crate) fn some_milliseconds(milliseconds: u64) -> Option<Duration> {
    non_zero(milliseconds).map(Duration::from_millis)
}

/// A limit, where 0 says that there is none.
pub(crate) fn non_zero<T: Default + PartialEq>(limit: T) -> Option<T> {
    (limit != T::default()).then_some(limit)
}
