//! A large hash, copied in the order of its table, and put together field by field.

use base::codec::{Malformed, Source, put_bytes};
use base::{Copier, Elements, PackLimits};

use super::Hash;
use crate::Places;
use crate::pre_image::Noted;
use crate::table_copy::Scanned;

impl Scanned for Hash {
    const HAS_VALUES: bool = true;

    fn places(&self) -> Option<Places> {
        Hash::places(self)
    }

    fn follow(&mut self, copier: &Copier) -> bool {
        Hash::follow(self, copier)
    }

    fn noted(&mut self, copier: &Copier) -> Option<Noted> {
        Hash::noted(self, copier)
    }

    fn unfollow(&mut self) {
        Hash::unfollow(self);
    }

    fn read(&self, cursor: u64, out: &mut Vec<u8>, count: &mut usize) -> u64 {
        self.scan(cursor, &mut |field, value| {
            put_bytes(out, field);
            put_bytes(out, value);
            *count += 1;
        })
    }
}

impl Elements for Hash {
    fn add_element(
        &mut self,
        source: &mut Source<'_>,
        limits: &PackLimits,
    ) -> Result<(), Malformed> {
        self.set(source.bytes()?, source.bytes()?, limits);
        Ok(())
    }
}
