//! A request for every command in the table, made from its grammar: a new command is tried without
//! a line here.

use base::Flag;
use base::grammar::{Arg, Kind};
use engine::{Action, Entry, Table};

/// Commands whose shortest form would be refused for its form, or disturb the others: what is sent
/// instead. No line: the command is not tried, because it ends the connection or the state.
const INSTEAD: &[(&str, &str)] = &[
    ("acl|deluser", "ACL DELUSER nobody"),
    ("acl|setuser", "ACL SETUSER somebody"),
    ("auth", "AUTH default nonsense"),
    ("backup", "BACKUP ../refused"),
    ("bitop", "BITOP AND k:to k:1"),
    ("client|kill", "CLIENT KILL ID 123456789"),
    ("client|pause", ""),
    ("client|reply", "CLIENT REPLY ON"),
    ("client|tracking", "CLIENT TRACKING OFF"),
    ("client|unpause", ""),
    ("config|set", "CONFIG SET maxclients 10000"),
    ("debug", "DEBUG STRINGMATCH-LEN 1 a"),
    ("eval", "EVAL return(1) 0"),
    ("eval_ro", "EVAL_RO return(1) 0"),
    ("failover", "FAILOVER ABORT"),
    ("fcall", "FCALL f 0 PING"),
    ("fcall_ro", "FCALL_RO f 0 PING"),
    ("flushall", "FLUSHALL"),
    ("folio.apply", "FOLIO.APPLY k:folio \u{2}\u{5}"),
    ("folio.commit", "FOLIO.COMMIT k:folio ADD {}"),
    ("folio.import", "FOLIO.IMPORT k:folio RECORDS {}"),
    ("folio.his.write", "FOLIO.HIS.WRITE k:folio t {}"),
    ("folio.his.writeall", "FOLIO.HIS.WRITEALL k:folio {}"),
    ("function|delete", "FUNCTION DELETE nothing"),
    ("function|flush", ""),
    ("function|kill", ""),
    ("function|restore", "FUNCTION RESTORE nonsense"),
    ("georadius", "GEORADIUS k:1 1 1 1 m"),
    ("georadiusbymember", "GEORADIUSBYMEMBER k:1 m 1 m"),
    ("geosearch", "GEOSEARCH k:1 FROMLONLAT 1 1 BYRADIUS 1 m"),
    ("geosearchstore", "GEOSEARCHSTORE k:to k:1 FROMLONLAT 1 1 BYRADIUS 1 m"),
    ("graph.bulk", "GRAPH.BULK k:graph 1 0 1 0 L\0\0\0\0\0"),
    ("graph.config|get", "GRAPH.CONFIG GET TIMEOUT"),
    ("graph.config|set", "GRAPH.CONFIG SET TIMEOUT_MAX 0"),
    ("graph.constraint", "GRAPH.CONSTRAINT CREATE k:graph MANDATORY NODE L PROPERTIES 1 a"),
    ("graph.import", "GRAPH.IMPORT k:graph FORMAT CYPHER CREATE()"),
    ("graph.profile", "GRAPH.PROFILE k:graph CREATE()"),
    ("graph.query", "GRAPH.QUERY k:graph CREATE()"),
    ("hello", "HELLO 2"),
    ("json.set", "JSON.SET k:json $ 1"),
    ("migrate", "MIGRATE 127.0.0.1 1 k:none 0 10"),
    ("module|load", ""),
    ("module|loadex", ""),
    ("module|unload", ""),
    ("psync", ""),
    ("quit", ""),
    ("replicaof", "REPLICAOF NO ONE"),
    ("reset", ""),
    ("restore", "RESTORE k:new 0 nonsense"),
    ("restore-asking", "RESTORE-ASKING k:new 0 nonsense"),
    ("script|kill", ""),
    ("shutdown", "SHUTDOWN ABORT"),
    ("slaveof", "SLAVEOF NO ONE"),
    ("sync", ""),
    ("wait", "WAIT 0 0"),
    ("xadd", "XADD k:stream * f v"),
    ("xread", "XREAD STREAMS k:none 0"),
    ("xreadgroup", "XREADGROUP GROUP g c STREAMS k:none >"),
    ("xsetid", "XSETID k:none 1-1"),
];

/// The commands that have a line of their own.
pub fn special() -> impl Iterator<Item = &'static str> {
    INSTEAD.iter().map(|(name, _)| *name)
}

/// What a command is tried with.
#[derive(Default)]
pub struct Sample {
    /// Its name in the table.
    pub name: &'static str,
    /// The request.
    pub words: Vec<String>,
    /// It changes the dataset, by its flags.
    pub writes: bool,
    /// It may wait for a key.
    pub blocks: bool,
    /// Redis does not have it.
    pub ours: bool,
}

impl Sample {
    /// The request's words.
    pub fn argv(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

/// One sample for each command that clients can call.
pub fn samples(table: &Table) -> Vec<Sample> {
    table
        .callable()
        .filter(|entry| !matches!(entry.action, Action::Container))
        .filter_map(sample)
        .collect()
}

fn sample(entry: &Entry) -> Option<Sample> {
    let instead = INSTEAD.iter().find(|(name, _)| *name == entry.name());
    let words = match instead {
        Some((_, "")) => return None,
        Some((_, line)) => line.split(' ').map(str::to_owned).collect(),
        None => {
            let mut words: Vec<String> = entry.name().split('|').map(str::to_owned).collect();
            let keys = entry.name();
            entry.syntax.arguments.iter().for_each(|argument| shortest(argument, keys, &mut words));
            words
        }
    };
    let (name, writes) = (entry.name(), entry.has(Flag::Write));
    let blocks = entry.has(Flag::Blocking);
    Some(Sample { name, words, writes, blocks, ours: is_ours(name) })
}

fn is_ours(name: &str) -> bool {
    ["json.", "graph.", "folio.", "ft.", "range", "prefix"]
        .iter()
        .any(|start| name.starts_with(start))
        || ["backup", "client|no-touch", "client|setinfo", "flushwal", "snapshot"].contains(&name)
}

/// The fewest words an argument can be given with.
fn shortest(argument: &Arg, keys: &str, words: &mut Vec<String>) {
    if argument.optional {
        return;
    }
    if let Some(token) = &argument.token {
        words.push(token.clone());
    }
    match &argument.kind {
        Kind::PureToken => {}
        Kind::OneOf(choices) => {
            choices.iter().take(1).for_each(|first| shortest(first, keys, words))
        }
        Kind::Block(parts) => parts.iter().for_each(|part| shortest(part, keys, words)),
        // Keys of its own, so that it finds what it would find if it were alone.
        Kind::Key(_) => words.push(format!("{keys}:{}", words.len())),
        Kind::Double if argument.name == "timeout" => words.push("0.01".to_owned()),
        Kind::Integer | Kind::Double | Kind::UnixTime => words.push("1".to_owned()),
        Kind::Pattern(_) => words.push("x*".to_owned()),
        Kind::String => words.push("v".to_owned()),
    }
}
