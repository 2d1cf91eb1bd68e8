//! The gRPC service.

use std::time::Duration;

use super::network::{self, BindAddress};
use crate::directive::{Directive as D, INT_MAX, Kind};
use crate::settings::Settings;

pub(super) const LIST: &[D] = &[
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
];

/// The gRPC service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrpcSettings {
    /// Its TCP port; 0 for none.
    pub port: u16,
    /// The configuration names the port: it must be bound.
    pub port_is_given: bool,
    /// Its addresses.
    pub bind: Vec<BindAddress>,
    /// TLS is spoken on it.
    pub tls: bool,
    /// Bytes of a message, at most.
    pub max_message_size: usize,
    /// Streams at a time, at most.
    pub max_streams: usize,
    /// After how much silence a client is asked whether it is there.
    pub keepalive: Option<Duration>,
    /// The key that calls must carry.
    pub api_key: Option<Vec<u8>>,
    /// As whom calls with it run.
    pub api_key_user: Vec<u8>,
}

impl GrpcSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        let own = network::addresses(settings, "grpc-bind");
        let keepalive = settings.int("grpc-keepalive");
        Self {
            port: settings.int("grpc-port"),
            port_is_given: settings.is_given("grpc-port"),
            bind: if own.is_empty() { network::addresses(settings, "bind") } else { own },
            tls: settings.yes("grpc-tls"),
            max_message_size: usize::try_from(settings.bytes("grpc-max-message-size"))
                .unwrap_or(usize::MAX),
            max_streams: settings.int("grpc-max-streams"),
            keepalive: (keepalive > 0).then_some(Duration::from_secs(keepalive)),
            api_key: settings.secret("grpc-api-key"),
            api_key_user: settings.text("grpc-api-key-user").to_vec(),
        }
    }
}
