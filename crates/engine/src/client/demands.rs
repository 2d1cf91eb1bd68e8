//! What a request, or all of a transaction, demands of the server. Whether the server can grant
//! that is asked in `execution/admission.rs`.

use std::ops::BitOr;

/// What a request, or all of a transaction, demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demands(u8);

impl Demands {
    /// The dataset is there.
    pub const LOADED: Demands = Demands(1);
    /// What it writes can be kept.
    pub const WRITES: Demands = Demands(2);
    /// There is memory for more data.
    pub const GROWS: Demands = Demands(4);
    /// Changes are not paused: `CLIENT PAUSE WRITE`.
    pub const CHANGES: Demands = Demands(8);
    /// The disk is well, though it writes nothing: `PING` tells.
    pub const ASKS_DISK: Demands = Demands(16);

    /// Those that it makes on the transaction that it is queued in.
    pub fn of_queued(self) -> Self {
        self.without(Demands::ASKS_DISK)
    }

    /// These but for those.
    pub fn without(self, others: Demands) -> Self {
        Demands(self.0 & !others.0)
    }

    /// Whether it demands any of these.
    pub fn any(self, of: Demands) -> bool {
        self.0 & of.0 != 0
    }

    /// Whether it may change the dataset, or would be told to replicas.
    pub fn may_change(self) -> bool {
        self.any(Demands::CHANGES)
    }
}

impl BitOr for Demands {
    type Output = Demands;

    fn bitor(self, other: Demands) -> Demands {
        Demands(self.0 | other.0)
    }
}
