//! stub
use base::{DataType, Kind};
macro_rules! t { ($n:ident) => {
/// stub
#[derive(Default, Clone)] pub struct $n(Vec<u8>);
impl DataType for $n { const KIND: Kind = Kind::$n; fn is_empty(&self)->bool{self.0.is_empty()} fn memory(&self)->usize{0} fn encoding(&self)->&'static str{"x"} fn free_effort(&self)->usize{1} }
}}
t!(Hash); t!(List); t!(Set); t!(ZSet);
