//! The HTTP service.

use crate::directive::Directive as D;
use crate::settings::Settings;

pub(super) const LIST: &[D] = &[
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
];

/// What the HTTP port goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Its TCP port, 0 for none.
    pub port: u16,
    /// It speaks TLS.
    pub tls: bool,
    /// The bearer token that requests must carry, if any.
    pub token: Option<Vec<u8>>,
    /// The user of those that carry it.
    pub token_user: String,
}

impl HttpSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            port: settings.int("http-port"),
            tls: settings.yes("http-tls"),
            token: settings.secret("http-token"),
            token_user: settings.string("http-token-user"),
        }
    }
}
