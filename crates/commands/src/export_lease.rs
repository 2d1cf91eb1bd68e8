//! The version that an export goes over, kept from one part to the next.

use std::sync::Arc;
use std::time::Duration;

use base::{Leases, Millis, Version};

/// So long a version is kept for the next part.
const KEPT: Duration = Duration::from_secs(60);

/// A lease of an export's version.
pub(crate) struct ExportLease {
    /// The leases of the host.
    pub leases: Arc<Leases>,
    /// What the version is of.
    pub of: Vec<u8>,
    /// When the request for this part came.
    pub now: Millis,
}

impl ExportLease {
    /// A part has been answered, which took so long: the version under a number is kept for the
    /// next one, or let go where the export has come to its end.
    pub fn answered<F: Send + Sync + 'static>(
        &self,
        number: u64,
        version: &Arc<Version<F>>,
        goes_on: bool,
        took: Duration,
    ) {
        if goes_on {
            let until = self.now.saturating_add(millis(took)).saturating_add(millis(KEPT));
            self.leases.keep(number, &self.of, version, until);
        } else {
            self.leases.end(number);
        }
    }
}

fn millis(time: Duration) -> Millis {
    Millis::try_from(time.as_millis()).unwrap_or(Millis::MAX)
}
