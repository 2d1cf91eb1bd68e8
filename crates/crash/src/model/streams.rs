//! The model's commands on streams.

use super::{Expect, Model, int};
use crate::unit::Step;
use crate::value::{Bytes, Group, Name, Stream, Value};

/// The first half of an id; the workload's ids are `n-1`.
fn id(arg: &Bytes) -> u64 {
    let text = String::from_utf8_lossy(arg);
    text.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or(0)
}

impl Model {
    pub(super) fn run_stream(&mut self, command: &str, step: &Step) -> Option<Expect> {
        let args = step.command.args();
        let at = match command {
            "XADD" | "XDEL" | "XTRIM" | "XACK" => 1,
            "XGROUP" => 2,
            // GROUP g c COUNT n STREAMS key >
            "XREADGROUP" => 7,
            _ => return None,
        };
        let name = (step.db, args.get(at)?.clone());
        let (mut stream, there) = match self.value(&name) {
            Some(Value::Stream(stream)) => (stream.clone(), true),
            _ => (Stream::default(), false),
        };
        let expect = match command {
            "XADD" => add(&mut stream, args),
            "XGROUP" => match step.command.upper(1).as_str() {
                "CREATE" => create(&mut stream, args),
                _ => Expect::count(usize::from(stream.groups.remove(&args[3]).is_some())),
            },
            _ if !there && command == "XREADGROUP" => return Some(Expect::Error),
            _ if !there => return Some(Expect::Int(0)),
            "XDEL" => {
                let gone = args[2..].iter().filter(|arg| stream.entries.remove(&id(arg)).is_some());
                Expect::count(gone.count())
            }
            "XTRIM" => trim(&mut stream, int(args.get(3))),
            "XACK" => acknowledge(&mut stream, args),
            _ => read(&mut stream, args),
        };
        if expect != Expect::Error {
            self.put_stream(&name, stream);
        }
        Some(expect)
    }

    fn put_stream(&mut self, name: &Name, stream: Stream) {
        self.change(name, Value::Stream(stream));
    }
}

/// XADD key [MAXLEN n] id field value
fn add(stream: &mut Stream, args: &[Bytes]) -> Expect {
    let new = args.len() - 3;
    let number = id(&args[new]);
    if number <= stream.last {
        return Expect::Error;
    }
    stream.last = number;
    stream.added += 1;
    stream.entries.insert(number, args[new + 2].clone());
    if new > 2 {
        trim(stream, int(args.get(new - 1)));
    }
    Expect::Text(Some(args[new].clone()))
}

fn trim(stream: &mut Stream, most: i64) -> Expect {
    let (before, most) = (stream.entries.len(), usize::try_from(most).unwrap_or(0));
    while stream.entries.len() > most {
        stream.entries.pop_first();
    }
    Expect::count(before - stream.entries.len())
}

/// XGROUP CREATE key group 0|$ MKSTREAM
fn create(stream: &mut Stream, args: &[Bytes]) -> Expect {
    if stream.groups.contains_key(&args[3]) {
        return Expect::Error;
    }
    let last = if args[4] == b"$" { stream.last } else { 0 };
    stream.groups.insert(args[3].clone(), Group { last, ..Group::default() });
    Expect::Any
}

fn acknowledge(stream: &mut Stream, args: &[Bytes]) -> Expect {
    let Some(group) = stream.groups.get_mut(&args[2]) else { return Expect::Int(0) };
    Expect::count(args[3..].iter().filter(|arg| group.pending.remove(&id(arg)).is_some()).count())
}

/// XREADGROUP GROUP group consumer COUNT n STREAMS key >
fn read(stream: &mut Stream, args: &[Bytes]) -> Expect {
    let count = usize::try_from(int(args.get(5))).unwrap_or(0);
    let Some(group) = stream.groups.get_mut(&args[2]) else { return Expect::Error };
    let new: Vec<u64> =
        stream.entries.range(group.last + 1..).take(count).map(|entry| *entry.0).collect();
    for number in new {
        group.last = number;
        group.pending.insert(number, args[3].clone());
    }
    Expect::Any
}
