//! The types of values, and what each of them must say and do.

use std::sync::Arc;

use crate::codec::{Malformed, Source};
use crate::{Assembly, IncrementalCopy, PackLimits, Rng, Versions};

/// Every type of collection that a key may hold: the number by which snapshots and the journal know
/// it, its [`Kind`], the name `TYPE` answers, and where it is. A new type is one line here.
///
/// Hands the list to a macro that is in scope where it is called: every `match` over all types is
/// made in this way. A number is never given to another type.
#[macro_export]
macro_rules! objects {
    ($make:ident) => {
        $crate::and_example! { $make
            1 List "list" types::List,
            2 Set "set" types::Set,
            3 Hash "hash" types::Hash,
            4 ZSet "zset" types::ZSet,
            5 Stream "stream" types::Stream,
            // The name of RedisJSON's type, by which tools know that they may show a document.
            6 Json "ReJSON-RL" types::Json,
            // FalkorDB's word, which its clients know. In files its values have another name.
            7 Graph "graphdata" types::Graph,
            // Projects of Haystack's records.
            8 Folio "folio" types::Folio,
        }
    };
}

/// Adds the type to copy from, in builds with debug assertions: there tests show what a type gets
/// for its line. (With a feature of Cargo instead, crates would be built with it and without it.)
#[cfg(debug_assertions)]
#[doc(hidden)]
#[macro_export]
macro_rules! and_example {
    ($make:ident $($types:tt)*) => {
        $make! {
            $($types)*
            255 Ring "kvistring" types::example::Ring,
        }
    };
}

/// Adds nothing.
#[cfg(not(debug_assertions))]
#[doc(hidden)]
#[macro_export]
macro_rules! and_example {
    ($make:ident $($types:tt)*) => {
        $make! { $($types)* }
    };
}

macro_rules! kinds {
    ($($tag:literal $kind:ident $word:literal $type:ty,)*) => {
        /// The type of a value as `TYPE` names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            /// Bytes.
            String,
            $(
                #[doc = concat!("The type that `TYPE` names `", $word, "`.")]
                $kind,
            )*
        }

        impl Kind {
            /// Every type.
            pub const ALL: &[Kind] = &[Kind::String, $(Kind::$kind,)*];

            /// The word `TYPE` answers.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Kind::String => "string",
                    $(Kind::$kind => $word,)*
                }
            }
        }
    };
}

objects!(kinds);

impl Kind {
    /// The type of this name, in any case.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Kind> {
        let is_named = |kind: &Kind| kind.name().as_bytes().eq_ignore_ascii_case(name);
        Kind::ALL.iter().copied().find(is_named)
    }
}

/// What the values of a type share that were made by one worker, and what their commands need from
/// one request to the next: names, symbols, compiled paths. Values must not need it to be read,
/// copied, moved or dropped, as other workers do that too. `()` for types that share nothing.
pub trait Context: Send + 'static {
    /// An empty one; `rng` is unpredictable.
    fn seeded(rng: &mut Rng) -> Self;

    /// Bytes that it holds, if that may have changed since this was last asked.
    fn new_memory(&mut self) -> Option<usize> {
        None
    }
}

impl Context for () {
    fn seeded(_rng: &mut Rng) {}
}

/// A collection that can be the value of a key.
pub trait DataType: Default + Clone + Send + 'static {
    /// Its type.
    const KIND: Kind;

    /// What its values share.
    type Context: Context;
    /// How a large value is copied a part at a time: [`Indivisible`](crate::Indivisible) where all
    /// values are small, or are copied so quickly that no part is worth a lock of its own.
    type Copying: IncrementalCopy<Self>;
    /// How it is put together again.
    type Assembly: Assembly<Self>;

    /// Whether it holds nothing; an empty collection's key is removed.
    fn is_empty(&self) -> bool;

    /// How many elements it has, of which requests may be about some or all. O(1).
    fn elements(&self) -> usize;

    /// Bytes of heap it owns, excluding `size_of::<Self>()`. Must be O(1): it is read before and
    /// after every edit.
    fn memory(&self) -> usize;

    /// The name `OBJECT ENCODING` answers.
    fn encoding(&self) -> &'static str;

    /// How many elements freeing it will visit; large ones are freed off the data path.
    fn free_effort(&self) -> usize;

    /// The account of what versions keep of it, where versions of it are there; none of a type that
    /// is not [`Versioned`](crate::Versioned). O(1).
    fn versions(&self) -> Option<&Arc<Versions>> {
        None
    }

    /// Appends it as snapshots and the journal hold it, in a form that does not depend on how it
    /// lies in memory, and from which no later version may depart: [`codec::put_framed`] what it
    /// holds, if in doubt.
    ///
    /// [`codec::put_framed`]: crate::codec::put_framed
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads what [`encode`](Self::encode) has written. Nothing may be trusted, and nothing is
    /// allocated for what is not there.
    ///
    /// # Errors
    /// There is something else.
    fn decode(
        source: &mut Source<'_>,
        limits: &PackLimits,
        context: &mut Self::Context,
    ) -> Result<Self, Malformed>;

    /// Whether it can be copied in parts as it is now: always, if its type says how, unless the
    /// type says otherwise.
    fn is_divisible(&self) -> bool {
        Self::Copying::EXISTS
    }

    /// Passes over it: over a length and as many bytes, unless a type says otherwise.
    ///
    /// # Errors
    /// There is something else.
    fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
        source.bytes().map(drop)
    }
}
