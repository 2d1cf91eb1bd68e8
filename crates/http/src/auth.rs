//! Which requests are admitted: by peer, by the page they come from, by user.
//!
//! ```text
//!   peer          protected mode: from this machine only
//!   Origin, Host  pages of other sites, and names made to point here, are refused
//!   credentials   Bearer: `http-token`, for the user `http-token-user`
//!                 Basic:  a user of ACL and a password
//!                 none:   the default user, if it needs no password and there is no token
//! ```
//!
//! The user's rights are checked where commands run, not here. Every request is authenticated by
//! its own credentials: a proxy may send those of many people through one connection.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use acl::Password;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use config::Config;
use engine::unauthenticated::TLS;
use engine::{Credential, Engine, is_local_address};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};

use crate::reply::Refusal;
use crate::session::{Admitted, ClientSession};

/// Whether protected mode lets a peer in. A token protects as a password does.
#[must_use]
pub fn welcome(engine: &Engine, config: &Config, peer: SocketAddr) -> bool {
    let guarded =
        config.network.protected_mode && config.http.token.is_none() && engine.users.is_open();
    !guarded || is_local_address(peer.ip())
}

/// Bytes that a connection takes before anything has come: its task, hyper's buffers, its client.
const CONNECTION: usize = 32 << 10;

/// Bytes that a connection takes before anything has come.
#[must_use]
pub fn takes(secured: bool) -> usize {
    CONNECTION + if secured { TLS } else { 0 }
}

/// Bytes that a connection is charged until its caller is known: none where no credentials are
/// asked for.
#[must_use]
pub fn charge_of_connection(engine: &Engine, config: &Config, secured: bool) -> usize {
    let asked = config.http.token.is_some() || engine.users.asks_password();
    if asked { takes(secured) } else { 0 }
}

/// Refuses requests that a page of another site may have sent from a browser that can reach this
/// port.
///
/// # Errors
/// 403.
pub fn check_site(engine: &Engine, config: &Config, headers: &HeaderMap) -> Result<(), Refusal> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if let Some(origin) = headers.get(ORIGIN) {
        let site = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        if site.is_none_or(|(_, site)| !site.eq_ignore_ascii_case(host)) {
            return Err(Refusal::new(403, "requests from pages of other sites are refused"));
        }
    }
    // A port that needs no password must not be reachable by a name that others can make point
    // here.
    let open =
        config.network.protected_mode && config.http.token.is_none() && engine.users.is_open();
    if open && !host.is_empty() && !is_plain_address(host) {
        return Err(Refusal::new(
            403,
            "protected mode: without a password or http-token this port answers only where Host is \
             an IP address or localhost",
        ));
    }
    Ok(())
}

/// Whether a host, perhaps with a port, is an IP address or this machine.
fn is_plain_address(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost")
}

/// The credentials of a request.
enum Authorization {
    Nothing,
    Bearer(Vec<u8>),
    Basic(Vec<u8>, Vec<u8>),
    Nonsense,
}

fn authorization(headers: &HeaderMap) -> Authorization {
    let Some(value) = headers.get(AUTHORIZATION) else { return Authorization::Nothing };
    let bytes = value.as_bytes();
    let blank = bytes.iter().position(|&byte| byte == b' ').unwrap_or(bytes.len());
    let (scheme, rest) = bytes.split_at(blank);
    let rest = rest.trim_ascii();
    if scheme.eq_ignore_ascii_case(b"bearer") {
        return Authorization::Bearer(rest.to_vec());
    }
    let pair = scheme
        .eq_ignore_ascii_case(b"basic")
        .then(|| STANDARD.decode(rest).ok())
        .flatten()
        .and_then(|pair| {
            let colon = pair.iter().position(|&byte| byte == b':')?;
            Some((pair[..colon].to_vec(), pair[colon + 1..].to_vec()))
        });
    match pair {
        Some((user, password)) => Authorization::Basic(user, password),
        None => Authorization::Nonsense,
    }
}

/// Authenticates a request.
///
/// # Errors
/// 401.
pub async fn admit(
    engine: &Engine,
    config: &Config,
    headers: &HeaderMap,
    client: &mut ClientSession,
) -> Result<(), Refusal> {
    let token = config.http.token.as_deref();
    client.admitted = Admitted::Not;
    let credential = match authorization(headers) {
        Authorization::Bearer(given) if token.is_some() => {
            let right = token.is_some_and(|t| Password::hash(t).is(&Password::hash(&given)));
            let credential = Credential::of_key(&engine.users, config.http.token_user.as_bytes());
            credential.filter(|_| right)
        }
        Authorization::Basic(user, password) => {
            basic(engine, token.is_some(), (&user, &password), client).await
        }
        Authorization::Nothing | Authorization::Bearer(_) if token.is_none() => {
            if client.session.client.user.lock().is_some() {
                client.session.log_out(&engine.users);
            }
            // The default user may have been given a password since this connection was made.
            if client.session.user.authenticated && !engine.users.asks_password() {
                client.admitted = Admitted::AsAnybody;
                return Ok(());
            }
            None
        }
        Authorization::Nothing | Authorization::Bearer(_) | Authorization::Nonsense => None,
    };
    let Some(credential) = credential else {
        client.session.log_out(&engine.users);
        return Err(unauthorized(token.is_some()));
    };
    become_user(client, credential);
    Ok(())
}

/// Lets a request in as the user of a credential.
pub fn become_user(client: &mut ClientSession, credential: Credential) {
    let account = credential.account();
    let same = client.session.client.user.lock().as_ref().is_some_and(|u| Arc::ptr_eq(u, account));
    if !same {
        client.session.log_in(Arc::clone(account));
    }
    client.admitted = Admitted::By(credential);
}

/// The user of Basic authentication, if the password is right.
async fn basic(
    engine: &Engine,
    with_token: bool,
    (user, password): (&[u8], &[u8]),
    client: &mut ClientSession,
) -> Option<Credential> {
    let credential = Credential::of_password(&engine.users, user, password);
    // Where a token is required, a user with any password must not replace it.
    let credential = credential
        .filter(|credential| !with_token || !credential.account().rules().takes_any_password());
    if credential.is_none() {
        client.refuse_password(user, password).await;
    }
    credential
}

fn unauthorized(with_token: bool) -> Refusal {
    let mut refusal = Refusal::new(401, "Unauthorized");
    refusal.message = Some(if with_token {
        "Valid Bearer token required"
    } else {
        "A user and its password are required"
    });
    if with_token {
        refusal = refusal.with(WWW_AUTHENTICATE, "Bearer realm=\"kvist\"");
    }
    refusal.with(WWW_AUTHENTICATE, "Basic realm=\"kvist\", charset=\"UTF-8\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_cannot_be_pointed_here() {
        for host in ["127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:80", "localhost:1", "LOCALHOST"]
        {
            assert!(is_plain_address(host), "{host}");
        }
        for host in ["evil.example", "evil.example:8080", "localhost.evil.example", "::1x", ""] {
            assert!(!is_plain_address(host), "{host}");
        }
    }
}
