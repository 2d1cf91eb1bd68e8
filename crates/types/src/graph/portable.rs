//! A graph in Redis's files and in what `DUMP` answers: a value of a module's type that is ours.
//! FalkorDB's type has the name that `TYPE` answers, and encodings which are not.

use rdb::Portable;

use super::Graph;

impl Portable for Graph {
    const NAME: &str = "kvistgrph";
}
