//! A large set, copied in the order of its table, and put together member by member.

use base::codec::{Malformed, Source, put_bytes};
use base::{Copier, Elements, PackLimits};

use super::Set;
use crate::Places;
use crate::pre_image::Noted;
use crate::table_copy::Scanned;

impl Scanned for Set {
    const HAS_VALUES: bool = false;

    fn places(&self) -> Option<Places> {
        Set::places(self)
    }

    fn follow(&mut self, copier: &Copier) -> bool {
        Set::follow(self, copier)
    }

    fn noted(&mut self, copier: &Copier) -> Option<Noted> {
        Set::noted(self, copier)
    }

    fn unfollow(&mut self) {
        Set::unfollow(self);
    }

    fn read(&self, cursor: u64, out: &mut Vec<u8>, count: &mut usize) -> u64 {
        self.scan(cursor, &mut |member| {
            put_bytes(out, member);
            *count += 1;
        })
    }
}

impl Elements for Set {
    fn add_element(
        &mut self,
        source: &mut Source<'_>,
        limits: &PackLimits,
    ) -> Result<(), Malformed> {
        self.add(source.bytes()?, limits);
        Ok(())
    }
}
