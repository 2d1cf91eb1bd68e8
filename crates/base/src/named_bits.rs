//! Redis's own words as enumerations.

macro_rules! named_bits {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // the names are Redis's own words
        pub enum $name { $($variant,)* }

        impl $name {
            /// Every variant, in order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word `COMMAND INFO` uses.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}
pub(crate) use named_bits;
