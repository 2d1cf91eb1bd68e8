//! How tight operators bind, from the loosest to what needs no brackets anywhere: what the parser
//! goes down by, and by what the printer puts brackets.

pub const OR: u8 = 1;
pub const XOR: u8 = 2;
pub const AND: u8 = 3;
pub const NOT: u8 = 4;
pub const COMPARISON: u8 = 5;
pub const TESTS: u8 = 6;
pub const SUM: u8 = 7;
pub const PRODUCT: u8 = 8;
pub const POWER: u8 = 9;
pub const SIGN: u8 = 10;
pub const LABELS: u8 = 11;
pub const ACCESS: u8 = 12;
pub const ATOM: u8 = 13;
