//! The model's commands on keys of any type.

use super::{Context, Expect, Model, int};
use crate::unit::{Step, target_db};
use crate::value::{Bytes, Deadline, Entry, Name, Value};

impl Model {
    pub(super) fn run_key(
        &mut self,
        command: &str,
        step: &Step,
        context: Context<'_>,
    ) -> Option<Expect> {
        let args = step.command.args();
        let name = (step.db, args.get(1).cloned().unwrap_or_default());
        let other = (step.db, args.get(2).cloned().unwrap_or_default());
        let number = int(args.get(2));
        Some(match command {
            "DEL" | "UNLINK" => {
                let gone = args[1..].iter().map(|key| (step.db, key.clone()));
                Expect::count(gone.filter(|name| self.keys.remove(name).is_some()).count())
            }
            "RENAME" => match self.keys.remove(&name) {
                Some(entry) => {
                    self.keys.insert(other, entry);
                    Expect::Any
                }
                None => Expect::Error,
            },
            "RENAMENX" => match (self.keys.contains_key(&other), self.keys.contains_key(&name)) {
                (_, false) => Expect::Error,
                (true, true) => Expect::Int(0),
                (false, true) => {
                    let entry = self.keys.remove(&name)?;
                    self.keys.insert(other, entry);
                    Expect::Int(1)
                }
            },
            "COPY" => {
                let target = (target_db(&step.command).unwrap_or(step.db), other.1);
                let taken = self.keys.contains_key(&target) && !step.command.has("REPLACE");
                let source = self.keys.get(&name).filter(|_| !taken).cloned();
                self.arrive(target, source)
            }
            "MOVE" => {
                let target = (target_db(&step.command)?, name.1.clone());
                let taken = self.keys.contains_key(&target);
                let source = if taken { None } else { self.keys.remove(&name) };
                self.arrive(target, source)
            }
            "EXPIRE" => self.expire(&name, context.after(number.saturating_mul(1000))),
            "PEXPIRE" => self.expire(&name, context.after(number)),
            "PEXPIREAT" if number <= context.unit.sent => {
                Expect::count(usize::from(self.keys.remove(&name).is_some()))
            }
            "PEXPIREAT" => self.expire(&name, Deadline::exact(number)),
            "PERSIST" => {
                let deadline = self.keys.get_mut(&name).and_then(|entry| entry.deadline.take());
                Expect::count(usize::from(deadline.is_some()))
            }
            "SORT" => self.sort(&name, step),
            _ => return None,
        })
    }

    fn arrive(&mut self, target: Name, entry: Option<Entry>) -> Expect {
        Expect::count(entry.map_or(0, |entry| {
            self.keys.insert(target, entry);
            1
        }))
    }

    fn expire(&mut self, name: &Name, deadline: Deadline) -> Expect {
        Expect::count(self.keys.get_mut(name).map_or(0, |entry| {
            entry.deadline = Some(deadline);
            1
        }))
    }

    /// `SORT key ALPHA [DESC] STORE destination`, in the C locale.
    fn sort(&mut self, name: &Name, step: &Step) -> Expect {
        let mut items: Vec<Bytes> = match self.value(name) {
            Some(Value::List(list)) => list.iter().cloned().collect(),
            Some(Value::Set(set)) => set.iter().cloned().collect(),
            Some(Value::Zset(zset)) => zset.keys().cloned().collect(),
            _ => Vec::new(),
        };
        items.sort();
        if step.command.has("DESC") {
            items.reverse();
        }
        let count = Expect::count(items.len());
        let target = step.command.args().last().cloned().unwrap_or_default();
        self.put((step.db, target), Value::List(items.into()));
        count
    }
}
