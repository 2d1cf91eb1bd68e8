//! Logins that have begun: bounded in number and time, and good for one try each.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::failures::network;

/// How long a login may take from its first message to its last.
const LONGEST: Duration = Duration::from_secs(30);
/// Logins at the same time.
const MOST: usize = 4096;
/// And of one address, or one network of IPv6.
const MOST_OF_ADDRESS: usize = 64;

/// A login that has begun.
pub struct Handshake {
    /// The name that was said.
    pub user: String,
    /// What was said after it, if it was.
    pub said: Option<Exchange>,
    /// The network that it came from.
    from: u64,
    since: Instant,
}

/// What both have said at first.
#[derive(Clone)]
pub struct Exchange {
    /// What the client said of channels.
    pub head: String,
    /// Of which a proof is: client-first and server-first.
    pub messages: String,
    /// The nonces of both.
    pub nonce: String,
}

/// All of them, by their tokens.
#[derive(Default)]
pub struct Handshakes(Mutex<HashMap<String, Handshake>>);

impl Handshakes {
    /// Begins one. Of an address that has begun too many the oldest ends, and so does the oldest of
    /// all where there are too many.
    pub fn begin(&self, token: String, user: String, from: IpAddr, now: Instant) {
        let (from, mut all) = (network(from), self.0.lock());
        all.retain(|_, handshake| now.saturating_duration_since(handshake.since) <= LONGEST);
        let of_address = all.values().filter(|handshake| handshake.from == from).count();
        if of_address >= MOST_OF_ADDRESS {
            end_oldest(&mut all, |handshake| handshake.from == from);
        } else if all.len() >= MOST {
            end_oldest(&mut all, |_| true);
        }
        all.insert(token, Handshake { user, said: None, from, since: now });
    }

    /// Takes one: whatever comes of it, it is over unless it is put back.
    pub fn take(&self, token: &str, now: Instant) -> Option<Handshake> {
        let handshake = self.0.lock().remove(token)?;
        let lasts = now.saturating_duration_since(handshake.since) <= LONGEST;
        lasts.then_some(handshake)
    }

    /// Goes on with one that was taken, with what was said.
    pub fn go_on(&self, token: String, mut handshake: Handshake, said: Exchange) {
        handshake.said = Some(said);
        self.0.lock().insert(token, handshake);
    }
}

fn end_oldest(all: &mut HashMap<String, Handshake>, of: impl Fn(&Handshake) -> bool) {
    let candidates = all.iter().filter(|(_, handshake)| of(handshake));
    let oldest = candidates.min_by_key(|(_, handshake)| handshake.since);
    if let Some(token) = oldest.map(|(token, _)| token.clone()) {
        all.remove(&token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn begin(all: &Handshakes, token: usize, from: IpAddr, now: Instant) {
        all.begin(token.to_string(), "u".to_owned(), from, now);
    }

    #[test]
    fn a_login_is_good_for_one_try_and_some_time() {
        let (all, now) = (Handshakes::default(), Instant::now());
        begin(&all, 1, HERE, now);
        begin(&all, 2, HERE, now);
        assert!(all.take("1", now).is_some() && all.take("1", now).is_none());
        assert!(all.take("2", now + LONGEST + Duration::from_millis(1)).is_none());
        begin(&all, 3, HERE, now);
        let taken = all.take("3", now).unwrap();
        let said = Exchange { head: "n,,".into(), messages: "m".into(), nonce: "r".into() };
        all.go_on("3".into(), taken, said);
        assert_eq!(all.take("3", now).unwrap().said.unwrap().messages, "m");
    }

    #[test]
    fn there_are_so_many_and_no_more() {
        let (all, now) = (Handshakes::default(), Instant::now());
        for number in 0..=MOST_OF_ADDRESS {
            begin(&all, number, HERE, now + Duration::from_millis(number as u64));
        }
        assert_eq!(all.0.lock().len(), MOST_OF_ADDRESS);
        assert!(all.take("0", now).is_none() && all.take("1", now).is_some());
        // Many addresses: the oldest of all goes.
        for number in 0..2 * MOST {
            let from = IpAddr::from((1 + number as u32 / 8).to_be_bytes());
            begin(&all, 1000 + number, from, now + Duration::from_millis(100));
        }
        assert_eq!(all.0.lock().len(), MOST);
        // Of a network of IPv6 there are as many as of an address.
        for number in 0..2 * MOST_OF_ADDRESS as u128 {
            let from = IpAddr::from(std::net::Ipv6Addr::from_bits(0x2001 << 112 | number));
            begin(&all, 50_000 + number as usize, from, now + Duration::from_millis(200));
        }
        let network = network(IpAddr::from(std::net::Ipv6Addr::from_bits(0x2001 << 112)));
        let of = |handshake: &Handshake| handshake.from == network;
        assert_eq!(all.0.lock().values().filter(|it| of(it)).count(), MOST_OF_ADDRESS);
        // Those that are late go when others begin.
        begin(&all, 1, HERE, now + LONGEST + LONGEST);
        assert_eq!(all.0.lock().len(), 1);
    }
}
