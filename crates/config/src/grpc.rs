//! What is configured about gRPC.

use std::time::Duration;

use crate::config::BindAddress;
use crate::settings::Settings;

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

impl Settings {
    pub(crate) fn grpc(&self) -> GrpcSettings {
        let own = self.bind("grpc-bind");
        let keepalive = self.int("grpc-keepalive");
        GrpcSettings {
            port: self.int("grpc-port"),
            port_is_given: self.is_given("grpc-port"),
            bind: if own.is_empty() { self.bind("bind") } else { own },
            tls: self.yes("grpc-tls"),
            max_message_size: usize::try_from(self.bytes("grpc-max-message-size"))
                .unwrap_or(usize::MAX),
            max_streams: self.int("grpc-max-streams"),
            keepalive: (keepalive > 0).then_some(Duration::from_secs(keepalive)),
            api_key: self.secret("grpc-api-key"),
            api_key_user: self.text("grpc-api-key-user").to_vec(),
        }
    }
}
