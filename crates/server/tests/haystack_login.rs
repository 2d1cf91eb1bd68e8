//! How clients of the Haystack API log in, and how they do not.

#![allow(clippy::unwrap_used)] // a test says why by failing

use crate::server::{ok, temporary, text};
use crate::web::haystack::{Login, authorize, b64, log_in, param, status_of};
use crate::web::{Web, basic};

fn web_with(users: &[&[&str]]) -> Web {
    let web = Web::start(&["--requirepass", "root"]);
    let mut admin = web.server.connect();
    assert_eq!(admin.ask(&["AUTH", "root"]), ok());
    for rules in users {
        assert_eq!(admin.ask(&[&["ACL", "SETUSER"], *rules].concat()), ok());
    }
    web
}

const ADA: &[&str] = &["ada", "on", ">pencil", "~*", "+@all"];

#[test]
fn a_user_logs_in_and_out() {
    let web = web_with(&[ADA, &["two", "on", ">one", ">other"]]);
    let token = log_in(&web, "ada", "pencil").unwrap();
    assert!(token.starts_with("s-") && token.len() > 40, "{token}");
    let page = authorize(&web, &format!("bearer authtoken={token}"));
    assert_eq!(page.status, 200);
    assert!(page.text().contains("\"ada\""), "{}", page.text());
    // The default user's password is that of the configuration; another has two.
    assert!(log_in(&web, "default", "root").is_ok());
    assert!(log_in(&web, "two", "one").is_ok() && log_in(&web, "two", "other").is_ok());
    let close = format!("POST /api/demo/close\nAuthorization: BEARER authToken={token}");
    assert_eq!(web.ask(&close, "").status, 200);
    assert_eq!(status_of(&web, &token), 403);
    assert_eq!(web.ask(&close, "").status, 403);
    // What the other routes take is taken here.
    assert_eq!(authorize(&web, &basic("ada", "pencil")).status, 200);
    assert_eq!(authorize(&web, &basic("ada", "pen")).status, 401);
    let page = web.get("/api/demo/about");
    assert_eq!((page.status, page.header("www-authenticate")), (401, Some("SCRAM hash=SHA-256")));
}

#[test]
fn wrong_passwords_and_unknown_users_are_refused_alike() {
    let web = web_with(&[ADA, &["any", "on", "nopass"], &["off", "off", ">pw"]]);
    let hash = "#2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
    let mut admin = web.server.connect();
    assert_eq!(admin.ask(&["AUTH", "root"]), ok());
    assert_eq!(admin.ask(&["ACL", "SETUSER", "hashed", "on", hash]), ok());
    let cases = [("ada", "pen"), ("unknown", "x"), ("any", "x"), ("off", "pw"), ("hashed", "foo")];
    for (user, password) in cases {
        assert_eq!(log_in(&web, user, password), Err(403), "{user}");
        // A client is told the same salt again.
        let salts = [(); 2].map(|()| Login::begin(&web, user, password).salt);
        assert_eq!(salts[0], salts[1], "{user}");
    }
    // It is told as any failed login.
    let log = admin.ask(&["ACL", "LOG"]);
    let entries = log.as_slice().unwrap().iter().flat_map(|entry| entry.as_slice().unwrap());
    let words: Vec<String> = entries.filter(|word| word.as_bytes().is_some()).map(text).collect();
    let told = |name: &str| words.iter().any(|word| word == name);
    assert!(told("unknown") && told("hashed") && told("ada") && !told("any"), "{words:?}");
    // Once the password is given in plain, the user has keys.
    assert_eq!(admin.ask(&["ACL", "SETUSER", "hashed", ">foo"]), ok());
    assert!(log_in(&web, "hashed", "foo").is_ok());
}

#[test]
fn a_login_is_good_for_one_try() {
    let web = web_with(&[ADA]);
    let login = Login::begin(&web, "ada", "pencil");
    let last = login.last();
    login.token(&login.send(&web, &last));
    // What was sent is of no use to one who has seen it.
    assert_eq!(login.send(&web, &last).status, 403);
    let other = Login::begin(&web, "ada", "pencil");
    assert_eq!(other.send(&web, &last).status, 400);
    // A wrong proof ends a login, and no other.
    let right = Login::begin(&web, "ada", "pencil");
    let login = Login::begin(&web, "ada", "pen");
    assert_eq!(login.send(&web, &login.last()).status, 403);
    assert_eq!(login.send(&web, &login.last()).status, 403);
    right.token(&right.send(&web, &right.last()));
    // So does a first message that is said twice, or with another name.
    let login = Login::begin(&web, "ada", "pencil");
    assert_eq!(login.send(&web, "n,,n=ada,r=xxxx").status, 400);
    assert_eq!(login.send(&web, &login.last()).status, 403);
    let page = authorize(&web, &format!("HELLO username={}", b64("ada")));
    let handshake = param(page.header("www-authenticate").unwrap(), "handshakeToken");
    let first = |message: &str| {
        let header = format!("SCRAM handshakeToken={handshake}, data={}", b64(message));
        authorize(&web, &header).status
    };
    assert_eq!(first("n,,n=bob,r=xxxx"), 403);
    assert_eq!(first("n,,n=ada,r=xxxx"), 403);
}

#[test]
fn what_cannot_be_read_is_told_so() {
    let web = web_with(&[ADA]);
    for header in [
        "HELLO",
        "HELLO username=",
        "HELLO username=!!",
        "SCRAM data=biws",
        "SCRAM handshakeToken=x, data=!",
        "SCRAM handshakeToken=x, data=biws, hash=SHA-1",
    ] {
        assert_eq!(authorize(&web, header).status, 400, "{header}");
    }
    assert_eq!(authorize(&web, "SCRAM handshakeToken=x, data=biws").status, 403);
    for token in ["", "x", "s-0000", &"0".repeat(5000)] {
        assert_eq!(status_of(&web, token), 403, "{token}");
    }
    // Channels that are bound, other users' rights, extensions: none of it is spoken.
    for message in ["p=tls-unique,,n=ada,r=x", "n,a=root,n=ada,r=x", "n,,m=1,n=ada,r=x", ""] {
        let page = authorize(&web, &format!("HELLO username={}", b64("ada")));
        let handshake = param(page.header("www-authenticate").unwrap(), "handshakeToken");
        let header = format!("SCRAM handshakeToken={handshake}, data={}", b64(message));
        assert_eq!(authorize(&web, &header).status, 400, "{message}");
    }
    // Padded or not.
    let padded = |text: &str| format!("{}==", b64(text).trim_end_matches('='));
    assert_eq!(authorize(&web, &format!("HELLO username={}", padded("a"))).status, 401);
    let long = format!("HELLO username={}", "A".repeat(5000));
    assert_eq!(authorize(&web, &long).status, 400);
}

#[test]
fn a_downgrade_is_refused() {
    let web = web_with(&[ADA]);
    let login = Login::begin(&web, "ada", "pencil");
    // What was said of channels at first must be said at last.
    let last = login.last().replace("c=biws", "c=eSws");
    assert_eq!(login.send(&web, &last).status, 400);
    let login = Login::begin(&web, "ada", "pencil");
    let last = login.last().replace(&login.nonce, &login.nonce[..24]);
    assert_eq!(login.send(&web, &last).status, 400);
}

#[test]
fn tokens_end_with_what_they_were_given_for() {
    let changes: [&[&str]; 5] = [
        &["ACL", "SETUSER", "ada", "off"],
        &["ACL", "SETUSER", "ada", "<pencil", ">other"],
        &["ACL", "SETUSER", "ada", "resetpass"],
        &["ACL", "DELUSER", "ada"],
        &["ACL", "SETUSER", "ada", "reset", "on"],
    ];
    let web = web_with(&[]);
    let mut admin = web.server.connect();
    assert_eq!(admin.ask(&["AUTH", "root"]), ok());
    for change in changes {
        admin.ask(&["ACL", "DELUSER", "ada"]);
        admin.ask(&[&["ACL", "SETUSER"], ADA].concat());
        let token = log_in(&web, "ada", "pencil").unwrap();
        admin.ask(&["ACL", "SETUSER", "ada", "-get", ">another"]);
        assert_eq!(status_of(&web, &token), 200, "another change is none to it");
        admin.ask(change);
        assert_eq!(status_of(&web, &token), 403, "{change:?}");
        assert_eq!(log_in(&web, "ada", "pencil"), Err(403), "{change:?}");
        // Who has been off and is on again, or is another of that name, logs in again.
        admin.ask(&[&["ACL", "SETUSER"], ADA].concat());
        assert_eq!(status_of(&web, &token), 403, "{change:?}");
        assert!(log_in(&web, "ada", "pencil").is_ok());
    }
    admin.ask(&["CONFIG", "SET", "requirepass", "other"]);
    assert_eq!(log_in(&web, "default", "root"), Err(403));
    assert!(log_in(&web, "default", "other").is_ok());
}

#[test]
fn logins_fail_so_often() {
    let web = web_with(&[ADA]);
    let failed = (0..20).map(|_| log_in(&web, "ada", "pen")).all(|done| done == Err(403));
    assert!(failed);
    // By now even the right password has to wait. One more try may be free by then, where the
    // machine took seconds for the others.
    let refused = (0..100).find_map(|_| {
        let login = Login::begin(&web, "ada", "pen");
        let page = login.send(&web, &login.last());
        page.header("retry-after").map(|text| text.parse::<u64>().unwrap())
    });
    assert!(refused.is_some_and(|wait| wait > 0), "{refused:?}");
    let begun = std::time::Instant::now();
    let page = authorize(&web, &basic("ada", "pencil"));
    let has_waited = begun.elapsed().as_secs() >= 1;
    assert!(has_waited || page.header("retry-after").is_some(), "{page:?}");
}

#[test]
fn an_open_port_needs_no_login() {
    let web = Web::start(&[]);
    let mut admin = web.server.connect();
    admin.ask(&[&["ACL", "SETUSER"], ADA].concat());
    assert_eq!(web.get("/api/demo/about").status, 200);
    assert_eq!(log_in(&web, "default", "anything"), Err(403));
    assert_eq!(log_in(&web, "ada", "pen"), Err(403));
    let token = log_in(&web, "ada", "pencil").unwrap();
    assert_eq!(status_of(&web, &token), 200);
}

#[test]
fn keys_are_saved_beside_the_file_of_users() {
    let folder = temporary("scram");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("users.acl");
    let beside = folder.join("users.acl.scram");
    std::fs::write(&file, "user default on >root ~* +@all\nuser plain on >text ~* +@all\n")
        .unwrap();
    let args = ["--aclfile", file.to_str().unwrap()];
    let (salt, unknown) = {
        let web = Web::start(&args);
        // Passwords that the file has in plain.
        assert!(log_in(&web, "plain", "text").is_ok());
        let mut admin = web.server.connect();
        assert_eq!(admin.ask(&["AUTH", "root"]), ok());
        assert!(!beside.exists());
        admin.ask(&[&["ACL", "SETUSER"], ADA].concat());
        admin.ask(&["ACL", "SETUSER", "bob", "on", ">bob"]);
        assert_eq!(admin.ask(&["ACL", "SAVE"]), ok());
        // What was loaded is what was saved.
        assert_eq!(admin.ask(&["ACL", "LOAD"]), ok());
        assert!(log_in(&web, "ada", "pencil").is_ok());
        let text = std::fs::read_to_string(&beside).unwrap();
        for secret in ["pencil", "root", " text"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(!std::fs::read_to_string(&file).unwrap().contains("pencil"));
        let salt = |user: &str| Login::begin(&web, user, "").salt;
        (salt("ada"), salt("unknown"))
    };
    // Another password by another hand: its keys are not those that were saved.
    let text = std::fs::read_to_string(&file).unwrap();
    let hash = |password: &str| {
        let digest = <sha2::Sha256 as sha2::Digest>::digest(password);
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    std::fs::write(&file, text.replace(&hash("bob"), &hash("new"))).unwrap();
    let mut keys = std::fs::read(&beside).unwrap();
    keys.extend_from_slice(b"nonsense\nada \xff\n");
    std::fs::write(&beside, keys).unwrap();
    let web = Web::start(&args);
    assert!(log_in(&web, "ada", "pencil").is_ok() && log_in(&web, "plain", "text").is_ok());
    assert!(log_in(&web, "default", "root").is_ok());
    assert_eq!((log_in(&web, "bob", "bob"), log_in(&web, "bob", "new")), (Err(403), Err(403)));
    // No client can tell by their salts which users there are, before or after.
    assert_eq!(Login::begin(&web, "ada", "").salt, salt);
    assert_eq!(Login::begin(&web, "unknown", "").salt, unknown);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn many_logins_at_once_are_each_their_own() {
    let web = web_with(&[ADA, &["bob", "on", ">brush"]]);
    std::thread::scope(|scope| {
        let logins = (0..8).map(|number| {
            let (user, password) =
                if number % 2 == 0 { ("ada", "pencil") } else { ("bob", "brush") };
            let web = &web;
            scope.spawn(move || {
                let token = log_in(web, user, password).unwrap();
                let page = authorize(web, &format!("BEARER authToken={token}"));
                assert!(page.text().contains(&format!("\"{user}\"")), "{}", page.text());
                token
            })
        });
        let logins: Vec<_> = logins.collect();
        let mut tokens: Vec<String> =
            logins.into_iter().map(|login| login.join().unwrap()).collect();
        tokens.sort();
        tokens.dedup();
        assert_eq!(tokens.len(), 8);
    });
}
