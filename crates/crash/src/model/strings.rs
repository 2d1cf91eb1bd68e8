//! The model's string commands.

use super::{Context, Expect, Model, int, real};
use crate::unit::Step;
use crate::value::{Bytes, Deadline, Entry, Name, Value};

impl Model {
    pub(super) fn run_string(
        &mut self,
        command: &str,
        step: &Step,
        context: Context<'_>,
    ) -> Option<Expect> {
        let args = step.command.args();
        let name = (step.db, args.get(1).cloned().unwrap_or_default());
        let amount = int(args.get(2));
        Some(match command {
            "SET" => self.set_string(name, step, context),
            "MSET" => {
                for pair in args[1..].chunks(2) {
                    let value = pair.get(1).cloned().unwrap_or_default();
                    self.put((step.db, pair[0].clone()), Value::Text(value));
                }
                Expect::Any
            }
            "GETSET" => {
                let old = self.text(&name);
                self.put(name, Value::Text(args[2].clone()));
                Expect::Text(old)
            }
            "GETDEL" => {
                let old = self.text(&name);
                self.keys.remove(&name);
                Expect::Text(old)
            }
            "GETEX" => {
                if let Some(entry) = self.keys.get_mut(&name) {
                    entry.deadline = deadline(step, context).or(None);
                }
                Expect::Text(self.text(&name))
            }
            "APPEND" => self.edit(&name, |text| text.extend_from_slice(&args[2])),
            "SETRANGE" => {
                let (from, part) = (usize::try_from(amount).unwrap_or(0), &args[3]);
                self.edit(&name, |text| {
                    if text.len() < from + part.len() {
                        text.resize(from + part.len(), 0);
                    }
                    text[from..from + part.len()].copy_from_slice(part);
                })
            }
            "INCR" => self.add(&name, 1),
            "DECR" => self.add(&name, -1),
            "INCRBY" => self.add(&name, amount),
            "DECRBY" => self.add(&name, -amount),
            "INCRBYFLOAT" => {
                let old = self.text(&name);
                let sum = format!("{}", real(old.as_ref()) + real(args.get(2))).into_bytes();
                self.keep_deadline(name, sum.clone());
                Expect::Text(Some(sum))
            }
            _ => return None,
        })
    }

    pub(super) fn text(&self, name: &Name) -> Option<Bytes> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn keep_deadline(&mut self, name: Name, text: Bytes) {
        let deadline = self.keys.get(&name).and_then(|entry| entry.deadline);
        self.keys.insert(name, Entry { value: Value::Text(text), deadline });
    }

    fn set_string(&mut self, name: Name, step: &Step, context: Context<'_>) -> Expect {
        let exists = self.keys.contains_key(&name);
        if (step.command.has("NX") && exists) || (step.command.has("XX") && !exists) {
            return Expect::Text(None);
        }
        let text = step.command.args()[2].clone();
        if step.command.has("KEEPTTL") {
            self.keep_deadline(name, text);
        } else {
            let entry = Entry { value: Value::Text(text), deadline: deadline(step, context) };
            self.keys.insert(name, entry);
        }
        Expect::Any
    }

    /// Changes a string in place; the reply is its new length.
    fn edit(&mut self, name: &Name, change: impl FnOnce(&mut Bytes)) -> Expect {
        let new = || Value::Text(Vec::new());
        match self.slot(name, |value| matches!(value, Value::Text(_)), new) {
            Value::Text(text) => {
                change(text);
                Expect::count(text.len())
            }
            _ => Expect::Any,
        }
    }

    fn add(&mut self, name: &Name, amount: i64) -> Expect {
        let old = self.text(name).unwrap_or_else(|| b"0".to_vec());
        let Some(old) = std::str::from_utf8(&old).ok().and_then(|t| t.parse::<i64>().ok()) else {
            return Expect::Error;
        };
        let sum = old.wrapping_add(amount);
        self.keep_deadline(name.clone(), sum.to_string().into_bytes());
        Expect::Int(sum)
    }
}

/// The deadline that the options of SET and GETEX give.
fn deadline(step: &Step, context: Context<'_>) -> Option<Deadline> {
    let args = step.command.args();
    let first = if step.command.name() == "SET" { 3 } else { 2 };
    let at = (first..args.len())
        .find(|at| matches!(step.command.upper(*at).as_str(), "PX" | "EX" | "PXAT" | "EXAT"))?;
    let number = int(args.get(at + 1));
    Some(match step.command.upper(at).as_str() {
        "PX" => context.after(number),
        "EX" => context.after(number.saturating_mul(1000)),
        "EXAT" => Deadline::exact(number.saturating_mul(1000)),
        _ => Deadline::exact(number),
    })
}
