//! Versions of values: how a reader gets one. What they keep is counted in `base::Versions`, and
//! those that have ended are freed with the trash.

use base::{CmdError, Holds, Key, Shares, Version, Versioned};

use crate::Txn;

impl<T: Versioned> Shares<T> for Txn
where
    Txn: Holds<T>,
{
    fn share(&mut self, key: Key<'_>) -> Result<Option<Version<T::Frozen>>, CmdError> {
        let Some(value) = Holds::<T>::peek(self, key)? else { return Ok(None) };
        Version::new(&self.held.store.versions, |versions| value.freeze(versions)).map(Some)
    }
}
