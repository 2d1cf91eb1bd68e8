//! What Redis has no word for.

use crate::directive::{Directive as D, INT_MAX, Kind};

pub(super) const LIST: &[D] = &[
    D::new(
        "shards",
        Kind::PowerOfTwo { max: 65536 },
        "0",
        "Number of parts the data is split into, each with a lock of its own. 0 chooses by the \
         number of threads, but no fewer than the dataset on disk has. Where databases have \
         changed places (`SWAPDB`) since the last snapshot, a start with another number is \
         refused: start with the old one, `SAVE`, and start anew.",
    )
    .at_start()
    .own(),
    D::int(
        "grpc-port",
        "50051",
        0,
        65535,
        "TCP port of the gRPC service. 0 closes it. Where no port has been named and the default \
         one is in use, the server goes on without the service.",
    )
    .at_start()
    .own(),
    D::new(
        "grpc-bind",
        Kind::Bind,
        "",
        "Addresses on which gRPC is served, as in `bind`. An empty string means those of `bind`.",
    )
    .at_start()
    .own(),
    D::yes_no(
        "grpc-tls",
        "no",
        "TLS on the gRPC port, with the certificates and settings of the tls- directives.",
    )
    .at_start()
    .own(),
    D::memory(
        "grpc-max-message-size",
        "4mb",
        64 << 10,
        1 << 30,
        "Longest message that the gRPC service takes. A longer one is refused.",
    )
    .at_start()
    .own(),
    D::int(
        "grpc-max-streams",
        "10000",
        1,
        INT_MAX,
        "Streams (scans, ranges, batches, watches) that may be open on the gRPC port at a time.",
    )
    .at_start()
    .own(),
    D::int(
        "grpc-keepalive",
        "60",
        0,
        INT_MAX,
        "Seconds of silence after which a gRPC client is asked whether it is still there. 0 never \
         asks.",
    )
    .at_start()
    .own(),
    D::text(
        "grpc-api-key",
        "",
        "Key that gRPC calls must carry in the header x-api-key, or as a bearer token, unless they \
         carry the name and the password of a user. Empty asks for none beyond what users need.",
    )
    .at_start()
    .own(),
    D::text("grpc-api-key-user", "default", "User as which a call with that key runs.")
        .at_start()
        .own(),
    D::int(
        "unauthenticated-timeout",
        "60",
        0,
        INT_MAX,
        "Seconds within which a new connection must have shown who it is for, TLS handshake \
         included, where users need a password or a key is asked for. Later it is closed. 0 waits \
         for ever.",
    )
    .own(),
    D::memory(
        "unauthenticated-memory",
        "64mb",
        1 << 20,
        1 << 62,
        "Memory that everything takes which came from callers who have not shown who they are, at \
         every port, together. Where more is needed, the oldest of their connections are closed.",
    )
    .own(),
    D::int(
        "request-body-timeout",
        "30",
        0,
        INT_MAX,
        "Seconds that a request's body may take to come over HTTP or gRPC; long ones have a second \
         more for each 8 KiB that came. 0 waits for ever.",
    )
    .own(),
    D::memory(
        "max-reply-size",
        "1gb",
        1 << 20,
        1 << 40,
        "Longest reply that one request may have, at every port and inside a program. A longer one \
         is an error, which comes before it takes more memory than that; what a command has done \
         is done. The hard limit of client-output-buffer-limit and maxmemory-clients hold inside a \
         command, too: they close the client.",
    )
    .own(),
    D::int("http-port", "8080", 0, 65535, "TCP port of the HTTP service. 0 closes it.")
        .at_start()
        .own(),
    D::yes_no(
        "http-tls",
        "no",
        "The HTTP port speaks TLS, with the certificates and rules of the tls- directives.",
    )
    .at_start()
    .own(),
    D::text("http-token", "", "Bearer token that HTTP requests must carry. Empty asks for none.")
        .own(),
    D::text(
        "http-token-user",
        "default",
        "The user whose rights HTTP requests have that carry http-token.",
    )
    .own(),
    D::one_of(
        "range-index",
        &["auto", "yes", "no"],
        "auto",
        "The ordered index of key names: built at the first range query (auto), kept from the \
         start (yes), or never (no), which makes range queries an error.",
    )
    .own(),
    D::int(
        "range-max-reply",
        "1000000",
        1,
        INT_MAX,
        "Most keys a range query may return in one reply; beyond it the query must use a cursor.",
    )
    .own(),
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
