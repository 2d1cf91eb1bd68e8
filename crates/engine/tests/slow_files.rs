//! Files that hang: a disk may take as long as it likes, and only the clients that have asked for
//! something of it wait. The files are FIFOs, which take as long to read as the test wants.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kvist_engine::{Engine, State};

use crate::test_client::{TestClient, start};

/// After so long a file can be read although the test has not let it go: a thread that waits for
/// it goes on then, and the test fails.
const LONG: Duration = Duration::from_secs(5);

/// What keeps no other client waiting, whatever file hangs.
const OTHERS: &[(&str, &str)] = &[
    ("set a 1", "+OK"),
    ("config get maxclients", "*2\r\n$10\r\nmaxclients\r\n$5\r\n10000"),
    ("config set timeout 7", "+OK"),
    ("config set requirepass secret", "+OK"),
    ("config set requirepass ''", "+OK"),
    ("acl setuser other on nopass ~* +@all", "+OK"),
    ("acl deluser other", ":1"),
    ("acl whoami", "$7\r\ndefault"),
    ("get a", "$1\r\n1"),
];

/// A folder that goes with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kvist-slow-files-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file that nobody can read to its end before it is dropped.
struct Hanging(Option<Sender<()>>);

impl Hanging {
    fn file(path: &Path, text: &'static str) -> Self {
        let _ = std::fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        let (let_go, told) = channel::<()>();
        let path = path.to_owned();
        std::thread::spawn(move || {
            let _ = told.recv_timeout(LONG);
            // Waits until it is being read.
            std::fs::write(path, text).unwrap();
        });
        Hanging(Some(let_go))
    }

    fn let_go(&mut self) {
        self.0 = None;
    }
}

/// An engine with a configuration file and a file of users.
struct Stage {
    folder: Folder,
    engine: Arc<Engine>,
    client: TestClient,
    other: TestClient,
}

impl Stage {
    fn new() -> Self {
        let folder = Folder::new();
        let users = folder.0.join("users.acl");
        std::fs::write(&users, "user default on nopass ~* &* +@all\n").unwrap();
        let lines = format!(
            "enable-debug-command yes\nenable-protected-configs yes\nmaxclients 10000\n\
             aclfile {}\n",
            users.display()
        );
        let mut start = start(&lines);
        start.config_file = folder.0.join("kvist.conf").to_str().unwrap().to_owned();
        let engine = Engine::new(start).unwrap();
        engine.load_users().unwrap();
        let (client, other) = (TestClient::new(&engine), TestClient::new(&engine));
        Stage { folder, engine, client, other }
    }

    fn config(&self) -> Hanging {
        Hanging::file(&self.folder.0.join("kvist.conf"), "port 7000\n")
    }

    fn users(&self, text: &'static str) -> Hanging {
        Hanging::file(&self.folder.0.join("users.acl"), text)
    }

    /// The client waits, with nothing answered.
    fn waits(&mut self, lines: &str) {
        let last = lines.rsplit(" | ").next().unwrap();
        for line in lines.split(" | ").filter(|line| *line != last) {
            let (reply, state) = self.client.feed(&format!("{line}\r\n"));
            assert_eq!(state, State::Open, "{line}: {reply}");
        }
        let fed = self.client.feed(&format!("{last}\r\n"));
        assert_eq!(fed, (String::new(), State::Blocked), "{lines}");
    }

    /// Other clients do not.
    fn others_go_on(&mut self) {
        for (line, reply) in OTHERS {
            let fed = self.other.feed(&format!("{line}\r\n"));
            assert_eq!(fed, (format!("{reply}\r\n"), State::Open), "{line}");
        }
    }
}

#[test]
fn a_file_that_hangs_keeps_no_other_client_waiting() {
    for line in ["config rewrite", "debug config-rewrite-force-all"] {
        let mut stage = Stage::new();
        let mut file = stage.config();
        stage.waits(line);
        stage.others_go_on();
        file.let_go();
        assert_eq!(stage.client.answered(), "+OK", "{line}");
        let text = std::fs::read_to_string(stage.folder.0.join("kvist.conf")).unwrap();
        assert!(text.contains("timeout 7\n"), "{text}");
    }
}

/// What settings mean outside of the engine may take long as well.
#[test]
fn a_setting_that_reaches_out_keeps_no_other_client_waiting() {
    let mut stage = Stage::new();
    let (let_go, told) = channel::<()>();
    let told = std::sync::Mutex::new(told);
    stage.engine.on_change(Box::new(move |_, _, named| {
        if named.contains(&"dir") {
            let _ = told.lock().unwrap().recv_timeout(LONG);
        }
        Ok(())
    }));
    let folder = stage.folder.0.display().to_string();
    stage.waits(&format!("config set dir {folder} timeout 9"));
    let mut second = TestClient::new(&stage.engine);
    for line in ["multi", "set a 0", "config set maxclients 500 dir /", "config set dir /nosuch"] {
        second.feed(&format!("{line}\r\n"));
    }
    assert_eq!(second.feed("exec\r\n"), (String::new(), State::Blocked));
    stage.others_go_on();
    drop(let_go);
    assert_eq!(stage.client.answered(), "+OK");
    let refused = "-ERR CONFIG SET failed (possibly related to argument 'dir') - No such file or \
                   directory";
    assert_eq!(second.answered(), format!("*3\r\n+OK\r\n+OK\r\n{refused}"));
    // Either may have been the last.
    let dir = stage.other.ask("config get dir");
    assert!(dir.ends_with("\r\n/") || dir.ends_with(&folder), "{dir}");
    assert!(stage.other.ask("config get maxclients").ends_with("500"));
    assert!(stage.other.ask("config get timeout").ends_with("9"));
}

/// One that reads the users, and one that waits for its turn to write them.
#[test]
fn users_change_while_their_file_hangs() {
    let mut stage = Stage::new();
    let mut file = stage.users("user default on nopass ~* &* +@all\nuser read on ~* +get\n");
    stage.waits("acl load");
    let mut saving = TestClient::new(&stage.engine);
    assert_eq!(saving.feed("acl save\r\n"), (String::new(), State::Blocked));
    stage.others_go_on();
    file.let_go();
    assert_eq!(stage.client.answered(), "+OK");
    assert_eq!(saving.answered(), "+OK");
    assert!(stage.other.ask("acl users").contains("read"));
    // What was written is one state or the other, and the file is whole.
    stage.waits("acl load");
    assert_eq!(stage.client.answered(), "+OK");
}

/// The shards of a transaction are not held while its files hang, and `EXEC` is answered when all
/// of it has been done.
#[test]
fn a_transaction_waits_for_its_files_without_its_shards() {
    let mut stage = Stage::new();
    let mut file = stage.config();
    stage.waits(
        "multi | set a 0 | config rewrite | incr a | acl save | debug config-rewrite-force-all | \
         get a | exec",
    );
    stage.others_go_on();
    assert_eq!(stage.other.ask("debug sleep 0"), "+OK");
    file.let_go();
    let whole = "*6\r\n+OK\r\n+OK\r\n:1\r\n+OK\r\n+OK\r\n$1\r\n1";
    assert_eq!(stage.client.answered(), whole);
    assert_eq!(stage.client.ask("get a"), "$1\r\n1");
}

/// What fails is told where it belongs.
#[test]
fn errors_of_files_stand_where_they_belong() {
    let mut stage = Stage::new();
    std::fs::create_dir(stage.folder.0.join("kvist.conf")).unwrap();
    let refused = "-ERR Rewriting config file: Is a directory";
    stage.waits("config rewrite");
    assert_eq!(stage.client.answered(), refused);
    stage.waits("multi | set a 0 | config rewrite | get a | exec");
    assert_eq!(stage.client.answered(), format!("*3\r\n+OK\r\n{refused}\r\n$1\r\n0"));
    let stats = stage.client.ask("info commandstats");
    assert!(stats.contains("cmdstat_config|rewrite:calls=2"), "{stats}");
    let line = stats.lines().find(|line| line.starts_with("cmdstat_config|rewrite")).unwrap();
    assert!(line.contains("failed_calls=2"), "{line}");
}

/// What comes behind it in a pipeline runs when it has been answered, and not before.
#[test]
fn a_pipeline_waits_for_its_files() {
    let mut stage = Stage::new();
    let mut file = stage.config();
    let mut input = b"config rewrite\r\nset a 5\r\n".to_vec();
    let mut out = Vec::new();
    let fed = stage.client.worker.feed(&mut stage.client.session, &mut input, &mut out);
    assert_eq!((fed.consumed, fed.state, out.len()), (16, State::Blocked, 0));
    assert_eq!(stage.other.ask("get a"), "$-1");
    file.let_go();
    assert_eq!(stage.client.answered(), "+OK");
    assert_eq!(stage.client.ask("set a 5"), "+OK");
}

#[test]
fn replies_that_are_not_wanted_are_not_sent() {
    let mut stage = Stage::new();
    std::fs::write(stage.folder.0.join("kvist.conf"), "").unwrap();
    stage.waits("client reply skip | config rewrite");
    assert_eq!(stage.client.answered(), "");
    assert_eq!(stage.client.ask("ping"), "+PONG");
    for (lines, reply) in [
        ("multi | config rewrite | client reply off | exec", "*2\r\n+OK"),
        ("client reply off | config rewrite", ""),
        ("multi | client reply on | config rewrite | exec", "+OK\r\n+OK"),
    ] {
        stage.waits(lines);
        assert_eq!(stage.client.answered(), reply, "{lines}");
    }
}

/// A client whose own user is gone is told so, and nothing behind that is run.
#[test]
fn a_client_whose_user_is_gone_is_answered_and_ends() {
    let mut stage = Stage::new();
    assert_eq!(stage.other.ask("acl setuser gone on nopass ~* &* +@all"), "+OK");
    assert_eq!(stage.client.ask("auth gone x"), "+OK");
    stage.waits("acl load");
    assert_eq!(stage.client.answered(), "+OK");
    assert_eq!(stage.client.feed("set a 5\r\n"), (String::new(), State::Closing));
    assert_eq!(stage.other.ask("get a"), "$-1");
}
