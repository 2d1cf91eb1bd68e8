//! The model's commands on hashes, lists, sets and sorted sets.
//!
//! A collection is taken out, changed and put back: slow for large ones, and plainly right.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Context, Expect, Model, int, place, real};
use crate::unit::Step;
use crate::value::{Bytes, Name, Value};

impl Model {
    pub(super) fn run_collection(
        &mut self,
        command: &str,
        step: &Step,
        context: Context<'_>,
    ) -> Option<Expect> {
        let ran = self.run_hash(command, step);
        let ran = ran.or_else(|| self.run_list(command, step));
        let ran = ran.or_else(|| self.run_set(command, step, context));
        ran.or_else(|| self.run_zset(command, step))
    }

    /// Replaces the value and keeps the deadline, as every command does that changes a collection.
    pub(super) fn change(&mut self, name: &Name, value: Value) {
        if let Some(entry) = self.keys.get_mut(name) {
            entry.value = value;
        } else {
            self.put(name.clone(), value);
        }
    }

    fn run_hash(&mut self, command: &str, step: &Step) -> Option<Expect> {
        if !matches!(command, "HSET" | "HDEL" | "HINCRBY" | "HINCRBYFLOAT") {
            return None;
        }
        let args = step.command.args();
        let name = (step.db, args[1].clone());
        let mut hash = self.hash(&name);
        let before = hash.len();
        let expect = match command {
            "HSET" => {
                for pair in args[2..].chunks(2) {
                    hash.insert(pair[0].clone(), pair.get(1).cloned().unwrap_or_default());
                }
                Expect::count(hash.len() - before)
            }
            "HDEL" => {
                hash.retain(|field, _| !args[2..].contains(field));
                Expect::count(before - hash.len())
            }
            "HINCRBY" => {
                let sum = int(hash.get(&args[2])).wrapping_add(int(args.get(3)));
                hash.insert(args[2].clone(), sum.to_string().into_bytes());
                Expect::Int(sum)
            }
            _ => {
                let sum = real(hash.get(&args[2])) + real(args.get(3));
                let text = format!("{sum}").into_bytes();
                hash.insert(args[2].clone(), text.clone());
                Expect::Text(Some(text))
            }
        };
        self.change(&name, Value::Hash(hash));
        Some(expect)
    }

    fn run_list(&mut self, command: &str, step: &Step) -> Option<Expect> {
        let args = step.command.args();
        let name = (step.db, args.get(1).cloned().unwrap_or_default());
        match command {
            "LMOVE" | "BLMOVE" => {
                let to = (step.db, args[2].clone());
                return Some(self.transfer(
                    &name,
                    &to,
                    &step.command.upper(3),
                    &step.command.upper(4),
                ));
            }
            "RPOPLPUSH" => {
                let to = (step.db, args[2].clone());
                return Some(self.transfer(&name, &to, "RIGHT", "LEFT"));
            }
            _ => {}
        }
        let mut list = self.list(&name);
        let before = list.len();
        let expect = match command {
            "RPUSH" | "LPUSH" => {
                for item in &args[2..] {
                    match command {
                        "RPUSH" => list.push_back(item.clone()),
                        _ => list.push_front(item.clone()),
                    }
                }
                Expect::count(list.len())
            }
            "LPOP" | "RPOP" | "BLPOP" => {
                let wanted =
                    if command == "BLPOP" || args.len() < 3 { 1 } else { int(args.get(2)) };
                let mut last = None;
                for _ in 0..wanted {
                    let item = if command == "RPOP" { list.pop_back() } else { list.pop_front() };
                    last = item.or(last);
                }
                if command != "BLPOP" && args.len() < 3 { Expect::Text(last) } else { Expect::Any }
            }
            "LTRIM" => {
                let range = trim(int(args.get(2)), int(args.get(3)), before);
                list = list.into_iter().take(range.end).skip(range.start).collect();
                Expect::Any
            }
            "LSET" => match list.get_mut(place(int(args.get(2)), before)) {
                Some(item) => {
                    item.clone_from(&args[3]);
                    Expect::Any
                }
                None => Expect::Error,
            },
            "LREM" => {
                list.retain(|item| *item != args[3]);
                Expect::count(before - list.len())
            }
            "LINSERT" => match list.iter().position(|item| *item == args[3]) {
                Some(at) => {
                    let after = usize::from(step.command.upper(2) == "AFTER");
                    list.insert(at + after, args[4].clone());
                    Expect::count(list.len())
                }
                None => Expect::Int(if before == 0 { 0 } else { -1 }),
            },
            _ => return None,
        };
        self.change(&name, Value::List(list));
        Some(expect)
    }

    fn transfer(&mut self, from: &Name, to: &Name, take: &str, give: &str) -> Expect {
        let mut source = self.list(from);
        let item = if take == "LEFT" { source.pop_front() } else { source.pop_back() };
        let Some(item) = item else { return Expect::Text(None) };
        self.change(from, Value::List(source));
        let mut target = self.list(to);
        match give {
            "LEFT" => target.push_front(item.clone()),
            _ => target.push_back(item.clone()),
        }
        self.change(to, Value::List(target));
        if let (true, Some(entry)) = (from != to, self.keys.get(from))
            && entry.is_empty()
        {
            self.keys.remove(from);
        }
        Expect::Text(Some(item))
    }

    fn run_set(&mut self, command: &str, step: &Step, context: Context<'_>) -> Option<Expect> {
        let args = step.command.args();
        let name = (step.db, args.get(1).cloned().unwrap_or_default());
        let mut set = self.set(&name);
        let before = set.len();
        Some(match command {
            "SADD" => {
                set.extend(args[2..].iter().cloned());
                let added = set.len() - before;
                self.change(&name, Value::Set(set));
                Expect::count(added)
            }
            "SREM" => {
                set.retain(|member| !args[2..].contains(member));
                let gone = before - set.len();
                self.change(&name, Value::Set(set));
                Expect::count(gone)
            }
            "SPOP" => {
                let wanted = args.get(2).map_or(1, |_| place(int(args.get(2)), before));
                let picked = context.unit.picked.clone();
                let picked = picked.unwrap_or_else(|| missing(&set, wanted, context.found(&name)));
                // A member that was not there must not pass unnoticed.
                let sound = picked.iter().all(|member| set.remove(member))
                    && before - set.len() == wanted.min(before);
                self.change(&name, Value::Set(set));
                if sound { Expect::Any } else { Expect::Error }
            }
            "SMOVE" => {
                let to = (step.db, args[2].clone());
                let moved = set.remove(&args[3]);
                if moved && name != to {
                    self.change(&name, Value::Set(set));
                    let mut target = self.set(&to);
                    target.insert(args[3].clone());
                    self.change(&to, Value::Set(target));
                }
                Expect::count(usize::from(moved))
            }
            "SUNIONSTORE" | "SINTERSTORE" | "SDIFFSTORE" => {
                let first = self.set(&(step.db, args[2].clone()));
                let combined = args[3..].iter().fold(first, |sum, key| {
                    let next = self.set(&(step.db, key.clone()));
                    match command {
                        "SUNIONSTORE" => &sum | &next,
                        "SINTERSTORE" => &sum & &next,
                        _ => &sum - &next,
                    }
                });
                let count = Expect::count(combined.len());
                self.put(name, Value::Set(combined));
                count
            }
            _ => return None,
        })
    }

    fn run_zset(&mut self, command: &str, step: &Step) -> Option<Expect> {
        let args = step.command.args();
        let name = (step.db, args.get(1).cloned().unwrap_or_default());
        if matches!(command, "ZUNIONSTORE" | "ZINTERSTORE" | "ZRANGESTORE") {
            return Some(self.store_zset(command, step));
        }
        let mut zset = self.zset(&name);
        let before = zset.len();
        let expect = match command {
            "ZADD" => {
                let greater = step.command.upper(2) == "GT";
                for pair in args[if greater { 3 } else { 2 }..].chunks(2) {
                    let (score, member) = (real(pair.first()), pair[1].clone());
                    let old = zset.entry(member).or_insert(score);
                    *old = if greater { old.max(score) } else { score };
                }
                Expect::count(zset.len() - before)
            }
            "ZREM" => {
                zset.retain(|member, _| !args[2..].contains(member));
                Expect::count(before - zset.len())
            }
            "ZINCRBY" => {
                let score = zset.entry(args[3].clone()).or_insert(0.0);
                *score += real(args.get(2));
                Expect::Text(Some(format!("{score}").into_bytes()))
            }
            "ZPOPMIN" | "ZPOPMAX" | "BZPOPMIN" => {
                let counted = command != "BZPOPMIN" && args.len() > 2;
                let wanted = if counted { place(int(args.get(2)), before) } else { 1 };
                let mut ranked = ranked(&zset);
                if command == "ZPOPMAX" {
                    ranked.reverse();
                }
                ranked.truncate(wanted);
                zset.retain(|member, _| !ranked.contains(member));
                Expect::Any
            }
            "ZREMRANGEBYSCORE" => {
                let (from, to) = (real(args.get(2)), real(args.get(3)));
                zset.retain(|_, score| *score < from || *score > to);
                Expect::count(before - zset.len())
            }
            "ZREMRANGEBYRANK" => {
                let (from, to) = (place(int(args.get(2)), before), place(int(args.get(3)), before));
                let ranked = ranked(&zset);
                for member in ranked.iter().take(to + 1).skip(from) {
                    zset.remove(member);
                }
                Expect::count(before - zset.len())
            }
            _ => return None,
        };
        self.change(&name, Value::Zset(zset));
        Some(expect)
    }

    /// `ZUNIONSTORE d 2 a b`, `ZINTERSTORE d 2 a b`, `ZRANGESTORE d a 0 n`.
    fn store_zset(&mut self, command: &str, step: &Step) -> Expect {
        let args = step.command.args();
        let zset = |at: usize| self.zset(&(step.db, args[at].clone()));
        let result = if command == "ZRANGESTORE" {
            let source = zset(2);
            let (from, to) = (place(int(args.get(3)), source.len()), int(args.get(4)));
            let taken = ranked(&source).into_iter().take(place(to, source.len()) + 1).skip(from);
            taken.map(|member| (member.clone(), source[&member])).collect()
        } else {
            let (mut sum, other) = (zset(3), zset(4));
            if command == "ZINTERSTORE" {
                sum.retain(|member, _| other.contains_key(member));
            }
            for (member, score) in other {
                match sum.get_mut(&member) {
                    Some(old) => *old += score,
                    None if command == "ZUNIONSTORE" => drop(sum.insert(member, score)),
                    None => {}
                }
            }
            sum
        };
        let count = Expect::count(result.len());
        self.put((step.db, args[1].clone()), Value::Zset(result));
        count
    }
}

/// The places that `LTRIM from to` keeps of `len`.
fn trim(from: i64, to: i64, len: usize) -> Range<usize> {
    let length = i64::try_from(len).unwrap_or(i64::MAX);
    let last = if to < 0 { length + to } else { to };
    place(from, len)..place((last + 1).max(0), len)
}

impl Context<'_> {
    /// The set that was read back after the crash.
    fn found(&self, name: &Name) -> BTreeSet<Bytes> {
        match self.seen.and_then(|seen| seen.get(name)).map(|entry| &entry.value) {
            Some(Value::Set(set)) => set.clone(),
            _ => BTreeSet::new(),
        }
    }
}

/// What a pop that was never answered must have taken, if it happened: what is missing now. If
/// that is not the right number, any members will do: the comparison fails as it should.
fn missing(set: &BTreeSet<Bytes>, wanted: usize, found: BTreeSet<Bytes>) -> Vec<Bytes> {
    let gone: Vec<Bytes> = set.difference(&found).cloned().collect();
    if gone.len() == wanted { gone } else { set.iter().take(wanted).cloned().collect() }
}

/// The members by score, then by bytes.
fn ranked(zset: &BTreeMap<Bytes, f64>) -> Vec<Bytes> {
    let mut members: Vec<(&Bytes, f64)> = zset.iter().map(|(m, s)| (m, *s)).collect();
    members.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(b.0)));
    members.into_iter().map(|(member, _)| member.clone()).collect()
}
