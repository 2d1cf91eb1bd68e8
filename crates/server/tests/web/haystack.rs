//! A client of the Haystack API that logs in by SCRAM, and can do each step of that wrong.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use super::{Page, Web};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A code of a message.
pub fn code(key: &[u8], message: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(message.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Base64 of URLs, without padding.
pub fn b64(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

/// A parameter of a header.
pub fn param(header: &str, name: &str) -> String {
    let (_, rest) = header.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("{header}"));
    rest.split(',').next().unwrap().trim().to_owned()
}

/// A login that has begun.
pub struct Login {
    /// Its token.
    pub handshake: String,
    user: String,
    password: String,
    /// What both have said at first.
    pub said: String,
    /// The nonce of both.
    pub nonce: String,
    /// The salt that the server has said, as text.
    pub salt: String,
    salted: [u8; 32],
}

/// Sends a header to `about`.
pub fn authorize(web: &Web, header: &str) -> Page {
    web.ask(&format!("GET /api/demo/about\nAuthorization: {header}"), "")
}

impl Login {
    /// The first two messages.
    pub fn begin(web: &Web, user: &str, password: &str) -> Self {
        let page = authorize(web, &format!("HELLO username={}", b64(user)));
        assert_eq!(page.status, 401, "{page:?}");
        let header = page.header("www-authenticate").unwrap();
        assert_eq!(param(header, "hash"), "SHA-256");
        let handshake = param(header, "handshakeToken");
        assert!(handshake.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{handshake}");
        let mut login = Login {
            handshake,
            user: user.to_owned(),
            password: password.to_owned(),
            said: String::new(),
            nonce: String::new(),
            salt: String::new(),
            salted: [0; 32],
        };
        let bare = format!("n={user},r=0123456789abcdef01234567");
        let page = login.send(web, &format!("n,,{bare}"));
        assert_eq!(page.status, 401, "{page:?}");
        let header = page.header("www-authenticate").unwrap().to_owned();
        assert_eq!(param(&header, "handshakeToken"), login.handshake);
        login.hear_first(&bare, &param(&header, "data"));
        login
    }

    fn hear_first(&mut self, bare: &str, data: &str) {
        assert!(data.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{data}");
        let first = String::from_utf8(URL_SAFE_NO_PAD.decode(data).unwrap()).unwrap();
        let mut parts = first.split(',');
        let mut part = |name: &str| parts.next().unwrap().strip_prefix(name).unwrap().to_owned();
        (self.nonce, self.salt) = (part("r="), part("s="));
        let rounds = part("i=").parse().unwrap();
        assert!(self.nonce.starts_with("0123456789abcdef01234567") && rounds == 10_000);
        let salt = STANDARD.decode(&self.salt).unwrap();
        assert_eq!(salt.len(), 32);
        let password = self.password.as_bytes();
        pbkdf2::pbkdf2_hmac::<Sha256>(password, &salt, rounds, &mut self.salted);
        self.said = format!("{bare},{first}");
    }

    /// Sends a message of this login.
    pub fn send(&self, web: &Web, message: &str) -> Page {
        let handshake = &self.handshake;
        authorize(web, &format!("SCRAM data={}, handshakeToken={handshake}", b64(message)))
    }

    /// The last message.
    pub fn last(&self) -> String {
        let bare = format!("c=biws,r={}", self.nonce);
        let client = code(&self.salted, "Client Key");
        let mut proof = code(&Sha256::digest(client), &format!("{},{bare}", self.said));
        proof.iter_mut().zip(client).for_each(|(byte, key)| *byte ^= key);
        format!("{bare},p={}", STANDARD_NO_PAD.encode(proof))
    }

    /// The token that an answer to the last message gives, if the server has shown to know the
    /// password, too.
    pub fn token(&self, page: &Page) -> String {
        assert_eq!((page.status, page.body.len()), (200, 0), "{page:?}");
        let info = page.header("authentication-info").unwrap();
        let data = URL_SAFE_NO_PAD.decode(param(info, "data")).unwrap();
        let server = code(&self.salted, "Server Key");
        let signature = code(&server, &format!("{},c=biws,r={}", self.said, self.nonce));
        assert_eq!(data, format!("v={}", STANDARD.encode(signature)).as_bytes());
        param(info, "authToken")
    }

    /// The user that logs in.
    pub fn user(&self) -> &str {
        &self.user
    }
}

/// Logs in: a token, or the status of the last answer.
pub fn log_in(web: &Web, user: &str, password: &str) -> Result<String, u16> {
    let login = Login::begin(web, user, password);
    let page = login.send(web, &login.last());
    if page.status == 200 { Ok(login.token(&page)) } else { Err(page.status) }
}

/// What a token is answered.
pub fn status_of(web: &Web, token: &str) -> u16 {
    authorize(web, &format!("BEARER authToken={token}")).status
}
