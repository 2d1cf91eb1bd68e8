//! What a client of a cluster needs to know: slots of keys, the nodes that serve them, and what
//! servers say when that has changed.
//!
//! ```text
//!   key ──► slot ──► SlotMap ──► node
//!             CRC16 of the key, or of what is in its first {…}, modulo 16384
//!
//!   -MOVED 3999 host:port   the slot is there now: remember it     ┐
//!   -ASK 3999 host:port     ask there once, after ASKING           ┴► Redirect
//! ```
//!
//! Nothing here does I/O: the caller follows redirections and decides how often. What servers say
//! is checked before it is believed, because a slot out of range must not become an index.

use crate::error::{Class, Error, ServerError};
use std::fmt;
use wire::Value;

/// How many slots a cluster has.
pub const SLOTS: u16 = 16384;

/// The remainders of CRC-16/XMODEM (polynomial 0x1021), which Redis's cluster specification names.
const REMAINDERS: [u16; 256] = remainders();

const fn remainders() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u16;
    while byte < 256 {
        let mut crc = byte << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
}

/// The slot of a key. Keys with the same text between their first `{` and the `}` after it have the
/// same slot, unless that text is empty. O(length of the key).
///
/// ```
/// use kvist_client::cluster::slot;
///
/// assert_eq!(slot(b"123456789"), 0x31c3);
/// assert_eq!(slot(b"{user:1}:name"), slot(b"{user:1}:mail"));
/// ```
#[must_use]
pub fn slot(key: &[u8]) -> u16 {
    let crc = tag(key).iter().fold(0_u16, |crc, byte| {
        let [high, _] = crc.to_be_bytes();
        (crc << 8) ^ REMAINDERS[usize::from(high ^ byte)]
    });
    crc % SLOTS
}

/// The part of a key that its slot depends on.
fn tag(key: &[u8]) -> &[u8] {
    let Some(open) = key.iter().position(|byte| *byte == b'{') else { return key };
    let rest = key.get(open + 1..).unwrap_or_default();
    match rest.iter().position(|byte| *byte == b'}') {
        Some(length) if length > 0 => rest.get(..length).unwrap_or(key),
        _ => key,
    }
}

/// Where a node listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// A name or an address, without brackets.
    pub host: String,
    /// The port for clients.
    pub port: u16,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Nodes that hold the same slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The node that takes writes.
    pub primary: Node,
    /// Nodes that may answer reads.
    pub replicas: Vec<Node>,
}

/// Which nodes serve which slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotMap {
    shards: Vec<Shard>,
    /// The index of each slot's shard.
    owners: Vec<Option<u16>>,
}

impl SlotMap {
    /// Reads a reply to `CLUSTER SLOTS`. `asked` is the node that sent it: one that does not know
    /// its own address says nothing where it should stand. O(slots + nodes).
    ///
    /// # Errors
    /// [`Error::Invalid`] for a reply of another shape, and for slots and ports that are none.
    pub fn from_slots(reply: &Value, asked: &Node) -> Result<Self, Error> {
        let mut map = SlotMap { shards: Vec::new(), owners: vec![None; usize::from(SLOTS)] };
        for range in reply.as_slice().ok_or_else(|| invalid("no list"))? {
            let [first, last, primary, replicas @ ..] =
                range.as_slice().ok_or_else(|| invalid("a range that is no list"))?
            else {
                return Err(invalid("a range without a node"));
            };
            let (first, last) = (slot_number(first)?, slot_number(last)?);
            let primary = node(primary, asked)?.ok_or_else(|| invalid("a slot without a node"))?;
            let mut others = Vec::new();
            for replica in replicas {
                others.extend(node(replica, asked)?);
            }
            let index = map.shard(Shard { primary, replicas: others })?;
            let owned = map.owners.get_mut(usize::from(first)..=usize::from(last));
            owned.ok_or_else(|| invalid("a range that ends before it begins"))?.fill(Some(index));
        }
        Ok(map)
    }

    /// The index of a shard, which is added unless it is known.
    fn shard(&mut self, shard: Shard) -> Result<u16, Error> {
        let known = self.shards.iter().position(|known| *known == shard);
        let index = known.unwrap_or_else(|| {
            self.shards.push(shard);
            self.shards.len() - 1
        });
        u16::try_from(index).map_err(|_| invalid("more nodes than slots"))
    }

    /// The node that serves a slot; `None` if it is unknown. O(1).
    ///
    /// ```
    /// use kvist_client::Value;
    /// use kvist_client::cluster::{Node, SlotMap};
    ///
    /// let node = Value::Array(vec![Value::Bulk(b"10.0.0.1".to_vec()), Value::Int(7000)]);
    /// let range = Value::Array(vec![Value::Int(0), Value::Int(16383), node]);
    /// let asked = Node { host: "localhost".to_owned(), port: 7000 };
    /// let map = SlotMap::from_slots(&Value::Array(vec![range]), &asked)?;
    /// assert_eq!(map.of(42).unwrap().primary.to_string(), "10.0.0.1:7000");
    /// assert!(map.is_complete());
    /// # Ok::<(), kvist_client::Error>(())
    /// ```
    #[must_use]
    pub fn of(&self, slot: u16) -> Option<&Shard> {
        let owner = (*self.owners.get(usize::from(slot))?)?;
        self.shards.get(usize::from(owner))
    }

    /// Notes that a slot is served by a node now: by the shard that has it as its primary, or as a
    /// replica that has become one; by a new shard if none has it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a slot that is none.
    pub fn moved(&mut self, slot: u16, node: &Node) -> Result<(), Error> {
        if slot >= SLOTS {
            return Err(invalid("a slot that is none"));
        }
        let primary = self.shards.iter().position(|shard| shard.primary == *node);
        let promoted = || self.shards.iter().position(|shard| shard.replicas.contains(node));
        let index = match primary.or_else(promoted) {
            Some(index) => {
                if let Some(shard) = self.shards.get_mut(index).filter(|it| it.primary != *node) {
                    // A replica has taken over: the old primary will come back as its replica.
                    let old = std::mem::replace(&mut shard.primary, node.clone());
                    shard.replicas.retain(|replica| replica != node);
                    shard.replicas.push(old);
                }
                u16::try_from(index).map_err(|_| invalid("more nodes than slots"))?
            }
            None => self.shard(Shard { primary: node.clone(), replicas: Vec::new() })?,
        };
        if let Some(owner) = self.owners.get_mut(usize::from(slot)) {
            *owner = Some(index);
        }
        Ok(())
    }

    /// Whether every slot is served.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.owners.iter().all(Option::is_some)
    }

    /// The shards, in the order in which they were told.
    #[must_use]
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }
}

/// What to do with a command that was sent to the wrong node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redirect {
    /// The slot belongs to another node: send it there, and what follows for this slot too.
    Moved {
        /// Which slot.
        slot: u16,
        /// The node that has it.
        node: Node,
    },
    /// The slot is on its way: send `ASKING` and this command there, this once.
    Ask {
        /// Which slot.
        slot: u16,
        /// The node that is getting it.
        node: Node,
    },
}

impl Redirect {
    /// Reads an error reply; `None` if it is no redirection, or one that makes no sense. `asked` is
    /// the node that sent it: one that does not know its own name sends only a port.
    ///
    /// ```
    /// use kvist_client::ServerError;
    /// use kvist_client::cluster::{Node, Redirect};
    ///
    /// let asked = Node { host: "10.0.0.1".to_owned(), port: 7000 };
    /// let error = ServerError::new("ASK 3999 10.0.0.2:7001");
    /// let node = Node { host: "10.0.0.2".to_owned(), port: 7001 };
    /// assert_eq!(Redirect::parse(&error, &asked), Some(Redirect::Ask { slot: 3999, node }));
    /// ```
    #[must_use]
    pub fn parse(error: &ServerError, asked: &Node) -> Option<Self> {
        let (slot, host, port) = error.redirection().filter(|(slot, ..)| *slot < SLOTS)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = if matches!(host, "" | "?") { &asked.host } else { host };
        let node = Node { host: host.to_owned(), port };
        match error.class {
            Class::Moved => Some(Self::Moved { slot, node }),
            Class::Ask => Some(Self::Ask { slot, node }),
            _ => None,
        }
    }
}

fn slot_number(value: &Value) -> Result<u16, Error> {
    let slot = value.as_i64().and_then(|slot| u16::try_from(slot).ok());
    slot.filter(|slot| *slot < SLOTS).ok_or_else(|| invalid("a slot that is none"))
}

/// A node of a range: host, port, and what does not matter here. `None` for one that cannot be
/// reached: a server that prefers host names says `?` for those that have none.
fn node(value: &Value, asked: &Node) -> Result<Option<Node>, Error> {
    let [host, port, ..] = value.as_slice().unwrap_or_default() else {
        return Err(invalid("a node without a port"));
    };
    let port = port.as_i64().and_then(|port| u16::try_from(port).ok());
    let port = port.ok_or_else(|| invalid("a port that is none"))?;
    let host = match host.as_bytes() {
        Some(b"?") => return Ok(None),
        Some(b"") | None => asked.host.clone(),
        Some(host) => String::from_utf8_lossy(host).into_owned(),
    };
    Ok(Some(Node { host, port }))
}

fn invalid(what: &str) -> Error {
    Error::Invalid(format!("CLUSTER SLOTS answered {what}"))
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
