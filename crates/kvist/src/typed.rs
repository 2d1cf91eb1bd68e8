//! The commands that most programs are made of, as methods. All others are one [`Kvist::run`] away.

use std::fmt::Display;
use std::time::Duration;

use crate::error::Error;
use crate::handle::Kvist;
use crate::value::FromValue;

/// A value of an argument: text, bytes, or a number as it is printed.
pub trait ToWord {
    /// Its bytes.
    fn word(&self) -> impl AsRef<[u8]>;
}

macro_rules! words {
    ($($name:ty),*) => { $(
        impl ToWord for $name {
            fn word(&self) -> impl AsRef<[u8]> {
                self
            }
        }
    )* };
}
words!(str, String, [u8], Vec<u8>);

impl<const N: usize> ToWord for [u8; N] {
    fn word(&self) -> impl AsRef<[u8]> {
        self
    }
}

impl<T: ToWord + ?Sized> ToWord for &T {
    fn word(&self) -> impl AsRef<[u8]> {
        T::word(self)
    }
}

macro_rules! numbers {
    ($($name:ty),*) => { $(
        impl ToWord for $name {
            fn word(&self) -> impl AsRef<[u8]> {
                printed(self)
            }
        }
    )* };
}
numbers!(i32, i64, u32, u64, usize, f64);

fn printed(number: &impl Display) -> Vec<u8> {
    number.to_string().into_bytes()
}

fn owned(words: impl IntoIterator<Item = impl ToWord>) -> impl Iterator<Item = Vec<u8>> {
    words.into_iter().map(|word| word.word().as_ref().to_vec())
}

/// A verb, a key, and words behind them.
fn request(
    verb: &str,
    key: impl ToWord,
    rest: impl IntoIterator<Item = impl ToWord>,
) -> impl Iterator<Item = Vec<u8>> {
    let head = [verb.as_bytes().to_vec(), key.word().as_ref().to_vec()];
    head.into_iter().chain(owned(rest))
}

impl Kvist {
    /// The value of a string; `None` if there is no such key. `GET`
    ///
    /// # Errors
    /// [`Error::Refused`] if it is no string; as [`Kvist::run`].
    pub fn get<T: FromValue>(&self, key: impl ToWord) -> Result<Option<T>, Error> {
        self.run([b"GET".as_slice(), key.word().as_ref()])
    }

    /// Sets a string, whatever was there. `SET`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn set(&self, key: impl ToWord, value: impl ToWord) -> Result<(), Error> {
        self.run([b"SET".as_slice(), key.word().as_ref(), value.word().as_ref()])
    }

    /// Sets a string that vanishes after a time, to the millisecond. `SET … PX`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn set_for(
        &self,
        key: impl ToWord,
        value: impl ToWord,
        time: Duration,
    ) -> Result<(), Error> {
        let (key, value) = (key.word(), value.word());
        let time = time.as_millis().to_string();
        self.run([b"SET", key.as_ref(), value.as_ref(), b"PX", time.as_bytes()])
    }

    /// Sets a string if there is no such key; whether that was so. `SET … NX`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn set_new(&self, key: impl ToWord, value: impl ToWord) -> Result<bool, Error> {
        let (key, value) = (key.word(), value.word());
        self.run([b"SET", key.as_ref(), value.as_ref(), b"NX"])
    }

    /// Deletes a key of any type; whether there was one. `DEL`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn del(&self, key: impl ToWord) -> Result<bool, Error> {
        self.run([b"DEL".as_slice(), key.word().as_ref()])
    }

    /// Whether there is such a key. `EXISTS`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn exists(&self, key: impl ToWord) -> Result<bool, Error> {
        self.run([b"EXISTS".as_slice(), key.word().as_ref()])
    }

    /// Has a key vanish after a time; whether there is one. `PEXPIRE`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn expire(&self, key: impl ToWord, time: Duration) -> Result<bool, Error> {
        let time = time.as_millis().to_string();
        self.run([b"PEXPIRE".as_slice(), key.word().as_ref(), time.as_bytes()])
    }

    /// Adds one to a number; what it is then. `INCR`
    ///
    /// # Errors
    /// [`Error::Refused`] if it is no number; as [`Kvist::call`].
    pub fn incr(&self, key: impl ToWord) -> Result<i64, Error> {
        self.run([b"INCR".as_slice(), key.word().as_ref()])
    }

    /// Adds to a number; what it is then. `INCRBY`
    ///
    /// # Errors
    /// As [`Kvist::incr`].
    pub fn incr_by(&self, key: impl ToWord, by: i64) -> Result<i64, Error> {
        self.run([b"INCRBY".as_slice(), key.word().as_ref(), by.word().as_ref()])
    }

    /// Sets a field of a hash; whether it is a new one. `HSET`
    ///
    /// # Errors
    /// [`Error::Refused`] if the key is no hash; as [`Kvist::call`].
    pub fn hset(
        &self,
        key: impl ToWord,
        field: impl ToWord,
        value: impl ToWord,
    ) -> Result<bool, Error> {
        let (key, field, value) = (key.word(), field.word(), value.word());
        self.run([b"HSET", key.as_ref(), field.as_ref(), value.as_ref()])
    }

    /// The value of a field of a hash. `HGET`
    ///
    /// # Errors
    /// As [`Kvist::hset`].
    pub fn hget<T: FromValue>(
        &self,
        key: impl ToWord,
        field: impl ToWord,
    ) -> Result<Option<T>, Error> {
        self.run([b"HGET".as_slice(), key.word().as_ref(), field.word().as_ref()])
    }

    /// A whole hash, as a map of your own choice. `HGETALL`
    ///
    /// # Errors
    /// As [`Kvist::hset`].
    pub fn hgetall<T: FromValue>(&self, key: impl ToWord) -> Result<T, Error> {
        self.run([b"HGETALL".as_slice(), key.word().as_ref()])
    }

    /// Appends to a list; how long it is then. `RPUSH`
    ///
    /// # Errors
    /// [`Error::Refused`] if the key is no list; as [`Kvist::call`].
    pub fn rpush(
        &self,
        key: impl ToWord,
        values: impl IntoIterator<Item = impl ToWord>,
    ) -> Result<usize, Error> {
        self.run(request("RPUSH", key, values))
    }

    /// Takes the first element off a list. `LPOP`
    ///
    /// # Errors
    /// As [`Kvist::rpush`].
    pub fn lpop<T: FromValue>(&self, key: impl ToWord) -> Result<Option<T>, Error> {
        self.run([b"LPOP".as_slice(), key.word().as_ref()])
    }

    /// Takes the first element off a list, and waits for one if there is none: up to a time, or for
    /// ever if that is zero. `BLPOP`
    ///
    /// # Errors
    /// As [`Kvist::rpush`].
    pub fn blpop<T: FromValue>(
        &self,
        key: impl ToWord,
        timeout: Duration,
    ) -> Result<Option<T>, Error> {
        let timeout = timeout.as_secs_f64().to_string();
        let popped: Option<(Vec<u8>, T)> =
            self.run([b"BLPOP".as_slice(), key.word().as_ref(), timeout.as_bytes()])?;
        Ok(popped.map(|(_, element)| element))
    }

    /// Adds to a set; how many were not in it. `SADD`
    ///
    /// # Errors
    /// [`Error::Refused`] if the key is no set; as [`Kvist::call`].
    pub fn sadd(
        &self,
        key: impl ToWord,
        members: impl IntoIterator<Item = impl ToWord>,
    ) -> Result<usize, Error> {
        self.run(request("SADD", key, members))
    }

    /// A whole set, as a collection of your own choice. `SMEMBERS`
    ///
    /// # Errors
    /// As [`Kvist::sadd`].
    pub fn smembers<T: FromValue>(&self, key: impl ToWord) -> Result<T, Error> {
        self.run([b"SMEMBERS".as_slice(), key.word().as_ref()])
    }

    /// Gives a member of a sorted set a score; whether it is a new one. `ZADD`
    ///
    /// # Errors
    /// [`Error::Refused`] if the key is no sorted set; as [`Kvist::call`].
    pub fn zadd(&self, key: impl ToWord, member: impl ToWord, score: f64) -> Result<bool, Error> {
        let (key, member, score) = (key.word(), member.word(), score.word());
        self.run([b"ZADD", key.as_ref(), score.as_ref(), member.as_ref()])
    }

    /// Publishes a message; how many receive it. `PUBLISH`
    ///
    /// # Errors
    /// As [`Kvist::call`].
    pub fn publish(&self, channel: impl ToWord, message: impl ToWord) -> Result<usize, Error> {
        self.run([b"PUBLISH".as_slice(), channel.word().as_ref(), message.word().as_ref()])
    }
}
