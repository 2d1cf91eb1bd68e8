//! How often a login may fail: so often at once, and then again as time passes, for each address
//! and for each name.
//!
//! The tables are bounded. Where one is full the entry that has most left goes, whose owner then
//! has no more than before.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use acl::Password;
use parking_lot::Mutex;

/// Failures of one address at once.
const OF_ADDRESS: u32 = 20;
/// Failures with one name at once, of all addresses.
const OF_NAME: u32 = 60;
/// After so long one more may fail.
const AGAIN: Duration = Duration::from_secs(2);
/// Entries of a table.
const MOST: usize = 8192;

/// Failures of one owner: as time at which all would be forgotten.
#[derive(Clone, Copy)]
struct Tally(Instant);

impl Tally {
    fn failures(self, now: Instant) -> u32 {
        let left = self.0.saturating_duration_since(now);
        u32::try_from(left.as_millis().div_ceil(AGAIN.as_millis())).unwrap_or(u32::MAX)
    }
}

/// Failures by address and by name.
#[derive(Default)]
pub struct Failures(Mutex<Tables>);

#[derive(Default)]
struct Tables {
    addresses: HashMap<u64, Tally>,
    /// By the hash of the name: a name may be long.
    names: HashMap<Password, Tally>,
}

/// An address as one that cannot easily be changed: of IPv6 the half that names the network.
pub(super) fn network(address: IpAddr) -> u64 {
    match address.to_canonical() {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64 | 1 << 63,
    }
}

impl Failures {
    /// How long this address, or who says this name, has to wait before a login may be tried.
    pub fn wait(&self, address: IpAddr, name: Option<&str>, now: Instant) -> Option<Duration> {
        let tables = self.0.lock();
        let late = |tally: Option<&Tally>, most: u32| {
            let over = tally?.failures(now).checked_sub(most - 1).filter(|over| *over > 0)?;
            Some(AGAIN * over)
        };
        let of_address = late(tables.addresses.get(&network(address)), OF_ADDRESS);
        let name = name.map(|name| Password::hash(name.as_bytes()));
        let of_name = late(name.and_then(|name| tables.names.get(&name)), OF_NAME);
        of_address.max(of_name)
    }

    /// A login has failed.
    pub fn add(&self, address: IpAddr, name: Option<&str>, now: Instant) {
        let mut tables = self.0.lock();
        add(&mut tables.addresses, network(address), now);
        if let Some(name) = name {
            add(&mut tables.names, Password::hash(name.as_bytes()), now);
        }
    }
}

fn add<K: Eq + std::hash::Hash + Clone>(table: &mut HashMap<K, Tally>, owner: K, now: Instant) {
    if !table.contains_key(&owner) && table.len() >= MOST {
        table.retain(|_, tally| tally.0 > now);
        if table.len() >= MOST {
            let least =
                table.iter().min_by_key(|(_, tally)| tally.0).map(|(owner, _)| owner.clone());
            least.map(|owner| table.remove(&owner));
        }
    }
    let tally = table.entry(owner).or_insert(Tally(now));
    tally.0 = tally.0.max(now) + AGAIN;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::from(number.to_be_bytes())
    }

    #[test]
    fn an_address_fails_so_often() {
        let (failures, now) = (Failures::default(), Instant::now());
        for at in 0..OF_ADDRESS {
            assert_eq!(failures.wait(address(1), Some("a"), now), None, "{at}");
            failures.add(address(1), Some(&at.to_string()), now);
        }
        assert_eq!(failures.wait(address(1), Some("a"), now), Some(AGAIN));
        assert_eq!(failures.wait(address(2), Some("a"), now), None);
        // After a while one more.
        let later = now + AGAIN;
        assert_eq!(failures.wait(address(1), Some("a"), later), None);
        failures.add(address(1), Some("a"), later);
        assert!(failures.wait(address(1), Some("a"), later).is_some());
        assert_eq!(failures.wait(address(1), Some("a"), now + 100 * AGAIN), None);
    }

    #[test]
    fn a_name_fails_so_often_of_all_addresses() {
        let (failures, now) = (Failures::default(), Instant::now());
        for number in 0..OF_NAME {
            assert_eq!(failures.wait(address(number), Some("root"), now), None);
            failures.add(address(number), Some("root"), now);
        }
        assert!(failures.wait(address(999), Some("root"), now).is_some());
        assert_eq!(failures.wait(address(999), Some("other"), now), None);
    }

    #[test]
    fn tables_have_an_end() {
        let (failures, now) = (Failures::default(), Instant::now());
        for _ in 0..OF_ADDRESS {
            failures.add(address(0), Some("a"), now);
        }
        for number in 1..MOST as u32 + 200 {
            failures.add(address(number), Some(&number.to_string()), now);
        }
        let tables = failures.0.lock();
        assert_eq!((tables.addresses.len(), tables.names.len()), (MOST, MOST));
        drop(tables);
        // Those with few failures make room; who has failed often is still known.
        assert!(failures.wait(address(0), Some("x"), now).is_some());
        let v6 = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(network(v6("2001:db8::1")), network(v6("2001:db8::ffff:2")));
        assert_ne!(network(v6("2001:db8::1")), network(v6("2001:db8:0:1::1")));
        assert_eq!(network(v6("::ffff:1.2.3.4")), network(v6("1.2.3.4")));
    }
}
