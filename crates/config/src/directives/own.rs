//! What Redis has no word for.

use crate::directive::{Directive as D, INT_MAX, Kind};

pub(super) const LIST: &[D] = &[
    D::new(
        "shards",
        Kind::PowerOfTwo { max: 65536 },
        "0",
        "Number of parts the data is split into, each with a lock of its own. 0 chooses by the \
         number of threads, but no fewer than the dataset on disk has.",
    )
    .at_start()
    .own(),
    D::int("grpc-port", "50051", 0, 65535, "TCP port of the gRPC service. 0 closes it.")
        .at_start()
        .own()
        .pending(),
    D::int("http-port", "8080", 0, 65535, "TCP port of the HTTP service. 0 closes it.")
        .at_start()
        .own()
        .pending(),
    D::text("http-token", "", "Bearer token that HTTP requests must carry. Empty asks for none.")
        .own()
        .pending(),
    D::one_of(
        "range-index",
        &["auto", "yes", "no"],
        "auto",
        "The ordered index of key names: built at the first range query (auto), kept from the \
         start (yes), or never (no), which makes range queries an error.",
    )
    .own()
    .pending(),
    D::int(
        "range-max-reply",
        "1000000",
        1,
        INT_MAX,
        "Most keys a range query may return in one reply; beyond it the query must use a cursor.",
    )
    .own()
    .pending(),
    D::yes_no(
        "rdb-export",
        "no",
        "Besides its own snapshot, also write one that Redis can read, to dbfilename.",
    )
    .own(),
    D::yes_no(
        "import-skip-unknown",
        "no",
        "When the first start finds files of Redis: leave out what this server does not keep \
         (values of modules, functions) instead of refusing to start.",
    )
    .at_start()
    .own(),
];
