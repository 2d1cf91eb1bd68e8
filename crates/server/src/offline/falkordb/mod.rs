//! `kvist import falkordb HOST:PORT`: graphs of a running FalkorDB come into a data directory, by
//! its own commands.
//!
//! ```text
//!   names ─► pages of nodes ─► pages of relationships ─► counts ─► indexes, constraints ─► saved
//! ```
//!
//! Nothing is changed there, and nothing counts here before all of it is saved. Its graphs may be
//! written meanwhile: what was read is counted at the end, and a graph of which there is more or
//! less by then is refused. Numbers come with the digits that it sends.

mod build;
mod source;
mod value;

use std::process::ExitCode;
use std::sync::Arc;

use ::graph::storage::Graph as Stored;
use base::{Deadline, Holds, Key};
use engine::Engine;
use journal::wall_clock;
use store::{Scope, Txn};
use types::Graph;

use self::source::Source;
use super::arguments::Arguments;
use super::{directory, import};
use crate::usage;

/// The verb's own arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    address: String,
    graphs: Vec<String>,
    user: Option<String>,
    password: Option<String>,
    /// The directives.
    rest: Vec<String>,
}

/// Runs the verb; `args` stand behind `falkordb`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let options = match parse(args) {
        Ok(options) => options,
        Err(what) => return usage::wrong(&what),
    };
    let arguments = match Arguments::parse(&options.rest, &[]) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&what),
    };
    if !arguments.settings.is_given("dir") || !arguments.plain.is_empty() {
        return usage::wrong("import falkordb needs HOST:PORT, and --dir DATADIR");
    }
    match fetch(&options, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Takes the verb's own arguments from the directives.
fn parse(args: &[String]) -> Result<Options, String> {
    let password = super::PASSWORDS.iter().find_map(|name| std::env::var(name).ok());
    let mut options = Options { password, ..Options::default() };
    let mut args = args.iter().peekable();
    if let Some(address) = args.next_if(|arg| !arg.starts_with("--")) {
        options.address.clone_from(address);
    }
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--graph" => options.graphs.push(value()?),
            "--user" => options.user = Some(value()?),
            "--pass" => options.password = Some(value()?),
            _ => options.rest.push(arg.clone()),
        }
    }
    if options.address.is_empty() {
        return Err("import falkordb needs HOST:PORT, and --dir DATADIR".to_owned());
    }
    Ok(options)
}

fn fetch(options: &Options, arguments: &Arguments) -> Result<(), String> {
    directory::log_warnings()?;
    let mut source =
        Source::connect(&options.address, options.user.clone(), options.password.clone())?;
    let names = if options.graphs.is_empty() { source.graphs()? } else { options.graphs.clone() };
    if names.is_empty() {
        return Err(format!("{}: it has no graphs", options.address));
    }
    let (engine, ..) = import::open(arguments)?;
    for name in &names {
        let (graph, told) = build::graph(&mut source, name)?;
        put(&engine, name, graph)?;
        println!("{name}: {told}");
    }
    import::save(engine)
}

/// Has a key of the first database hold a graph, in place of what it held.
fn put(engine: &Arc<Engine>, name: &str, graph: Stored) -> Result<(), String> {
    let mut txn = Txn::new(Arc::clone(&engine.store), 0);
    txn.begin(wall_clock());
    let hash = engine.store.hasher().hash(name.as_bytes());
    let scope = Scope::One(engine.store.shard_of(hash));
    let put = |txn: &mut Txn| {
        let key = Key { bytes: name.as_bytes(), hash };
        txn.put(key, Graph::from(graph), Deadline::Clear);
    };
    txn.with(&engine.store, scope, put).map_err(|failed| failed.to_string())?;
    txn.report_memory();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Options, parse};

    #[test]
    fn its_own_arguments_are_told_from_directives() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let all = words("h:7000 --graph a --dir d --graph b --user u --pass p --shards 4");
        let parsed = parse(&all).map(|options| Options { password: None, ..options });
        let graphs = words("a b");
        let (user, rest) = (Some("u".to_owned()), words("--dir d --shards 4"));
        let expected = Options { address: "h:7000".to_owned(), graphs, user, password: None, rest };
        assert_eq!(parsed, Ok(expected));
        assert!(parse(&words("--dir d")).is_err() && parse(&words("h --graph")).is_err());
    }
}
