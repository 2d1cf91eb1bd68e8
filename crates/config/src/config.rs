//! The typed configuration: what the server reads, with units in the types or the documentation.
//!
//! A `Config` is made from [`Settings`] at start and after each CONFIG SET, and never changes
//! itself. Each of its parts stands beside the list of its directives, and a directive gets a field
//! there when something reads it. It must never hold a setting that isn't in these lists.

use crate::directives::{
    self, ClientSettings, EncodingSettings, EventSettings, GrpcSettings, HttpSettings,
    LoggingSettings, MemorySettings, NetworkSettings, PersistenceSettings, ProcessSettings,
    QuerySettings, RangeSettings, ScriptSettings, SecuritySettings, TlsSettings,
};
use crate::settings::Settings;

/// Everything the server reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where the server listens, and how it treats connections.
    pub network: NetworkSettings,
    /// TLS.
    pub tls: TlsSettings,
    /// The gRPC service.
    pub grpc: GrpcSettings,
    /// The HTTP service.
    pub http: HttpSettings,
    /// Who may do what.
    pub security: SecuritySettings,
    /// What clients may take.
    pub clients: ClientSettings,
    /// How the process runs, and how it ends.
    pub process: ProcessSettings,
    /// What the server tells about itself.
    pub logging: LoggingSettings,
    /// How much memory data may take, and how it is freed.
    pub memory: MemorySettings,
    /// Up to which size values keep their compact forms.
    pub encodings: EncodingSettings,
    /// What is kept on disk, and when.
    pub persistence: PersistenceSettings,
    /// What scripts may take.
    pub scripts: ScriptSettings,
    /// What is published of what happens to keys.
    pub events: EventSettings,
    /// What queries may take.
    pub queries: QuerySettings,
    /// What range queries go by.
    pub ranges: RangeSettings,
}

impl Settings {
    /// Every directive at its default, on a machine with that many cores.
    #[must_use]
    pub fn new(cores: usize) -> Self {
        Self::defaults(directives::all(), cores)
    }

    /// The typed configuration these settings amount to.
    #[must_use]
    pub fn config(&self) -> Config {
        Config {
            network: NetworkSettings::of(self),
            tls: TlsSettings::of(self),
            grpc: GrpcSettings::of(self),
            http: HttpSettings::of(self),
            security: SecuritySettings::of(self),
            clients: ClientSettings::of(self),
            process: ProcessSettings::of(self),
            logging: LoggingSettings::of(self),
            memory: MemorySettings::of(self),
            encodings: EncodingSettings::of(self),
            persistence: PersistenceSettings::of(self),
            scripts: ScriptSettings::of(self),
            events: EventSettings::of(self),
            queries: QuerySettings::of(self),
            ranges: RangeSettings::of(self),
        }
    }
}
