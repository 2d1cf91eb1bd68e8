//! CLUSTER, READONLY, READWRITE, ASKING: answered as a server with `cluster-enabled no` does. The
//! commands are known, with their words, flags and places in the statistics; what runs is an error.

use base::{Args, Behaviour, Category, CmdError, Flag, Group, Locks, Property, Spec};
use wire::RespWriter;

use crate::control::{Control, container};
use crate::engine::entry::Action;

static CONTAINER: Spec = Spec {
    name: "cluster",
    summary: "Looks at a cluster and changes it; there is none.",
    complexity: "Depends on subcommand.",
    flags: &[],
    ..CLUSTER
};

/// What those have in common that only look.
const CLUSTER: Spec = Spec {
    group: Group::Cluster,
    since: "3.0.0",
    flags: &[Flag::Stale],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
    ..Spec::NEW
};

/// What those have in common that would change something.
const CHANGE: Spec = Spec { flags: &[Flag::Admin, Flag::Stale, Flag::NoAsyncLoading], ..CLUSTER };

/// What those have in common that ask about other nodes.
const NODE: Spec =
    Spec { grammar: "node-id:string", flags: &[Flag::Admin, Flag::Stale], tips: VARIES, ..CLUSTER };

/// What those have in common that are about the connection.
const MODE: Spec = Spec {
    flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
    categories: &[Category::Connection],
    behaviour: CLUSTER.behaviour.properties(&[Property::OfSession]),
    ..CLUSTER
};

/// What a range of slots costs.
const RANGES: &str =
    "O(N) where N is the total number of the slots between the start slot and end slot arguments.";
const SLOTS: &str = "O(N) where N is the total number of hash slot arguments";
const NODES: &str = "O(N) where N is the total number of Cluster nodes";
const VARIES: &[&str] = &["nondeterministic_output"];

/// Every command that is answered so.
static COMMANDS: &[Spec] = &[
    Spec {
        name: "asking",
        summary: "Announces that the next request follows a redirection.",
        flags: &[Flag::Fast],
        ..MODE
    },
    Spec { name: "readonly", summary: "Allows reads from a replica of a cluster.", ..MODE },
    Spec { name: "readwrite", summary: "Ends what READONLY has allowed.", ..MODE },
    Spec {
        name: "cluster|addslots",
        summary: "Would give hash slots to this node.",
        complexity: SLOTS,
        grammar: "slot:integer...",
        ..CHANGE
    },
    Spec {
        name: "cluster|addslotsrange",
        since: "7.0.0",
        summary: "Would give ranges of hash slots to this node.",
        complexity: RANGES,
        grammar: "start-slot_end-slot={start-slot:integer end-slot:integer} ...",
        ..CHANGE
    },
    Spec {
        name: "cluster|bumpepoch",
        summary: "Would advance the epoch of the configuration.",
        tips: VARIES,
        ..CHANGE
    },
    Spec {
        name: "cluster|count-failure-reports",
        summary: "Would count the reports that a node has failed.",
        complexity: "O(N) where N is the number of failure reports",
        ..NODE
    },
    Spec {
        name: "cluster|countkeysinslot",
        summary: "Would count the keys of a hash slot.",
        grammar: "slot:integer",
        ..CLUSTER
    },
    Spec {
        name: "cluster|delslots",
        summary: "Would take hash slots from this node.",
        complexity: SLOTS,
        grammar: "slot:integer...",
        ..CHANGE
    },
    Spec {
        name: "cluster|delslotsrange",
        since: "7.0.0",
        summary: "Would take ranges of hash slots from this node.",
        complexity: RANGES,
        grammar: "start-slot_end-slot={start-slot:integer end-slot:integer} ...",
        ..CHANGE
    },
    Spec {
        name: "cluster|failover",
        summary: "Would make a replica take its master's place.",
        grammar: "[options=(FORCE | TAKEOVER)]",
        ..CHANGE
    },
    Spec { name: "cluster|flushslots", summary: "Would forget this node's slots.", ..CHANGE },
    Spec {
        name: "cluster|forget",
        summary: "Would forget a node.",
        grammar: "node-id:string",
        ..CHANGE
    },
    Spec {
        name: "cluster|getkeysinslot",
        summary: "Would list keys of a hash slot.",
        complexity: "O(log(N)) where N is the number of requested keys",
        grammar: "slot:integer count:integer",
        tips: VARIES,
        ..CLUSTER
    },
    Spec {
        name: "cluster|help",
        since: "5.0.0",
        summary: "Would list the subcommands.",
        flags: &[Flag::Loading, Flag::Stale],
        ..CLUSTER
    },
    Spec {
        name: "cluster|info",
        summary: "Would describe the state of the cluster.",
        tips: VARIES,
        ..CLUSTER
    },
    Spec {
        name: "cluster|keyslot",
        summary: "Would answer the hash slot of a key.",
        complexity: "O(N) where N is the number of bytes in the key",
        grammar: "key:string",
        ..CLUSTER
    },
    Spec {
        name: "cluster|links",
        since: "7.0.0",
        summary: "Would list the connections between nodes.",
        complexity: NODES,
        tips: VARIES,
        ..CLUSTER
    },
    Spec {
        name: "cluster|meet",
        summary: "Would make this node meet another.",
        grammar: "ip:string port:integer [cluster_bus_port:integer @4.0.0]",
        history: &[("4.0.0", "`cluster_bus_port`.")],
        ..CHANGE
    },
    Spec { name: "cluster|myid", summary: "Would answer the name of this node.", ..CLUSTER },
    Spec {
        name: "cluster|nodes",
        summary: "Would list the nodes.",
        complexity: NODES,
        tips: VARIES,
        ..CLUSTER
    },
    Spec {
        name: "cluster|replicas",
        since: "5.0.0",
        summary: "Would list the replicas of a node.",
        ..NODE
    },
    Spec {
        name: "cluster|replicate",
        summary: "Would make this node a replica of another.",
        grammar: "node-id:string",
        ..CHANGE
    },
    Spec {
        name: "cluster|reset",
        summary: "Would make this node leave the cluster.",
        complexity: "O(N) where N is the number of known nodes. The command may execute a FLUSHALL \
                     as a side effect.",
        grammar: "[hard_soft=(HARD | SOFT)]",
        flags: &[Flag::Admin, Flag::NoScript, Flag::Stale],
        ..CLUSTER
    },
    Spec { name: "cluster|saveconfig", summary: "Would write the cluster's state.", ..CHANGE },
    Spec {
        name: "cluster|set-config-epoch",
        summary: "Would set the epoch of a new node.",
        grammar: "config-epoch:integer",
        ..CHANGE
    },
    Spec {
        name: "cluster|setslot",
        summary: "Would bind a hash slot to a node.",
        grammar: "slot:integer subcommand=(IMPORTING node-id:string | MIGRATING node-id:string | \
                  NODE node-id:string | STABLE)",
        ..CHANGE
    },
    Spec {
        name: "cluster|shards",
        since: "7.0.0",
        summary: "Would list the shards with their nodes.",
        complexity: "O(N) where N is the total number of cluster nodes",
        tips: VARIES,
        ..CLUSTER
    },
    Spec {
        name: "cluster|slaves",
        summary: "The older spelling of CLUSTER REPLICAS.",
        deprecated: Some(base::Deprecated { since: "5.0.0", instead: "`CLUSTER REPLICAS`" }),
        ..NODE
    },
    Spec {
        name: "cluster|slots",
        summary: "Would list the hash slots with their nodes.",
        complexity: NODES,
        tips: VARIES,
        history: &[("4.0.0", "Names of nodes."), ("7.0.0", "More about their addresses.")],
        deprecated: Some(base::Deprecated { since: "7.0.0", instead: "`CLUSTER SHARDS`" }),
        ..CLUSTER
    },
];

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows: Vec<_> = COMMANDS.iter().map(|spec| (spec, Action::Control(disabled))).collect();
    rows.push(container(&CONTAINER));
    rows
}

/// What all of them answer.
fn disabled(_: &mut Control<'_>, _: Args<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
    Err(CmdError::new("ERR This instance has cluster support disabled"))
}
