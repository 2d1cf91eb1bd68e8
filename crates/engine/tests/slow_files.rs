//! Files that hang: a disk may take as long as it likes, and only the clients that have asked for
//! something of it wait; and no more of them than there are places. The files are FIFOs, which take
//! as long to read as the test wants.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use kvist_engine::persistence::Reason;
use kvist_engine::{DialError, Engine, Mailbox, Message, Origin, Session, State};
use testkit::folder::Folder;
use testkit::wait::until;

use crate::test_client::{MessageQueue, TestClient, engine_with, start};

/// After so long a file can be read although the test has not let it go: a thread that waits for
/// it goes on then, and the test fails. Longer than a test takes on a busy machine.
const LONG: Duration = Duration::from_secs(25);

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

/// A file that cannot be read to its end before it is dropped.
struct Hanging {
    let_go: Option<Sender<()>>,
    /// Told when it has been opened.
    opened: Receiver<()>,
}

impl Hanging {
    fn file(path: &Path, text: &'static str) -> Self {
        let _ = std::fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        let (let_go, told) = channel::<()>();
        let (opens, opened) = channel();
        let path = path.to_owned();
        std::thread::spawn(move || {
            // Waits until it is being read.
            let mut file = File::options().write(true).open(path).unwrap();
            let _ = opens.send(());
            let _ = told.recv_timeout(LONG);
            file.write_all(text.as_bytes()).unwrap();
        });
        Hanging { let_go: Some(let_go), opened }
    }

    /// One that cannot be opened to be written before that.
    fn read_later(path: &Path) -> Self {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        let (let_go, told) = channel::<()>();
        let (opens, opened) = channel();
        let path = path.to_owned();
        std::thread::spawn(move || {
            let _ = told.recv_timeout(LONG);
            // Waits until it is being written to.
            drop(File::open(path));
            let _ = opens.send(());
        });
        Hanging { let_go: Some(let_go), opened }
    }

    /// Waits until a thread reads it.
    fn is_being_read(&self) {
        self.opened.recv_timeout(LONG).unwrap();
    }

    fn let_go(&mut self) {
        self.let_go = None;
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
        let folder = Folder::new("engine");
        let users = folder.join("users.acl");
        std::fs::write(&users, "user default on nopass ~* &* +@all\n").unwrap();
        let lines = format!(
            "enable-debug-command yes\nenable-protected-configs yes\nmaxclients 10000\n\
             aclfile {}\n",
            users.display()
        );
        let mut start = start(&lines);
        start.config_file = folder.join("kvist.conf").to_str().unwrap().to_owned();
        let engine = Engine::new(start).unwrap();
        engine.load_users().unwrap();
        let (client, other) = (TestClient::new(&engine), TestClient::new(&engine));
        Stage { folder, engine, client, other }
    }

    fn config(&self) -> Hanging {
        Hanging::file(&self.folder.join("kvist.conf"), "port 7000\n")
    }

    fn users(&self, text: &'static str) -> Hanging {
        Hanging::file(&self.folder.join("users.acl"), text)
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
        let text = std::fs::read_to_string(stage.folder.join("kvist.conf")).unwrap();
        assert!(text.contains("aclfile ") && text.contains("# Generated by CONFIG"), "{text}");
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
    let folder = stage.folder.path().display().to_string();
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
    // Either may begin first where both are asked for.
    file.is_being_read();
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
    std::fs::create_dir(stage.folder.join("kvist.conf")).unwrap();
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
    std::fs::write(stage.folder.join("kvist.conf"), "").unwrap();
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

/// So many requests of clients may wait for other threads at the same time.
const PLACES: usize = 1024;
const CROWDED: &str = "-ERR too many requests wait for the disk or for other servers; try again \
                       when some of them have been answered\r\n";

/// Many clients of one worker.
struct Crowd {
    client: TestClient,
    mailbox: Arc<MessageQueue>,
    sessions: Vec<Session>,
}

impl Crowd {
    fn new(engine: &Arc<Engine>) -> Self {
        let (client, mailbox) = (TestClient::new(engine), Arc::default());
        Crowd { client, mailbox, sessions: Vec::new() }
    }

    /// What a new client is answered at once.
    fn asks(&mut self, lines: &str) -> (String, State) {
        let engine = &self.client.worker.engine;
        let mailbox = Arc::clone(&self.mailbox) as Arc<dyn Mailbox>;
        let client = engine.clients.add(Origin::default(), 1_000_000, mailbox);
        let (mut session, mut out) = (Session::new(client, true), Vec::new());
        let mut input = lines.as_bytes().to_vec();
        let fed = self.client.worker.feed(&mut session, &mut input, &mut out);
        self.sessions.push(session);
        (String::from_utf8(out).unwrap(), fed.state)
    }

    /// The newest client sends nothing more; whether it is to go.
    fn has_ended(&self) -> bool {
        self.client.worker.engine.client_has_ended(self.sessions.last().unwrap())
    }

    /// The newest client goes.
    fn leaves(&mut self) {
        let mut session = self.sessions.pop().unwrap();
        self.client.worker.disconnect(&mut session);
    }

    /// Waits until all that wait are answered; how many were told this.
    fn answered(&mut self, wanted: &str) -> usize {
        let (worker, mut told) = (&mut self.client.worker, 0);
        for session in self.sessions.iter_mut().filter(|session| session.blocked.is_some()) {
            let mut out = Vec::new();
            until("an answer", || {
                let messages = self.mailbox.take(session.client.id);
                messages.into_iter().any(|message| match message {
                    Message::Unblocked { ticket, reply } => {
                        worker.unblock(session, ticket, &reply, &mut out)
                    }
                    other => panic!("{other:?}"),
                })
            });
            told += usize::from(out == wanted.as_bytes());
        }
        told
    }
}

fn blocked() -> (String, State) {
    (String::new(), State::Blocked)
}

fn refused() -> (String, State) {
    (CROWDED.to_owned(), State::Open)
}

/// However many ask for what hangs, so many wait, whatever they wait for; and one that goes gives
/// its place to another.
#[test]
fn there_are_so_many_places_for_all_that_waits() {
    let mut stage = Stage::new();
    let mut file = stage.config();
    let mut crowd = Crowd::new(&stage.engine);
    for n in 0..PLACES {
        let line = ["config rewrite\r\n", "acl save\r\n"][usize::from(n % 10 == 9)];
        assert_eq!(crowd.asks(line), blocked(), "{n}");
    }
    let lines = ["config rewrite", "acl load", "migrate h 1 k 0 9", "save", "backup b", "snapshot"];
    for line in lines {
        assert_eq!(crowd.asks(&format!("{line}\r\n")), refused(), "{line}");
        crowd.leaves();
    }
    let (reply, _) = crowd.asks("multi\r\nset a 0\r\nconfig rewrite\r\nexec\r\n");
    assert!(reply.ends_with(&format!("*2\r\n+OK\r\n{CROWDED}")), "{reply}");
    crowd.leaves();
    stage.others_go_on();
    // Those behind the threads' own, who have not begun.
    for _ in 0..500 {
        crowd.leaves();
    }
    for n in 0..500 {
        assert_eq!(crowd.asks("config rewrite\r\n"), blocked(), "{n}");
    }
    assert_eq!(crowd.asks("config rewrite\r\n"), refused());
    crowd.leaves();
    file.let_go();
    assert_eq!(crowd.answered("+OK\r\n"), PLACES);
    // Their places are free.
    until("a place", || stage.client.ask("acl save") == "+OK");
}

/// Where others need places, those go first whose clients send nothing more.
#[test]
fn who_may_have_gone_gives_its_place_to_others() {
    let mut stage = Stage::new();
    let mut file = stage.config();
    let mut crowd = Crowd::new(&stage.engine);
    let killed = |crowd: &Crowd, at: usize| {
        let messages = crowd.mailbox.take(crowd.sessions[at].client.id);
        messages.iter().any(|message| matches!(message, Message::Kill))
    };
    for n in 0..PLACES / 2 {
        assert_eq!(crowd.asks("config rewrite\r\n"), blocked(), "{n}");
        // Told twice, it is known once.
        assert!(!crowd.has_ended() || n + 1 == PLACES / 2, "{n}");
        crowd.has_ended();
    }
    until("four that run", || {
        crowd.sessions[..4]
            .iter()
            .all(|session| session.blocked.is_some() && !stage.engine.client_has_ended(session))
    });
    // The place of each but the four that run, and the last, which was told itself.
    let ended = PLACES / 2 - 5;
    for n in 0..PLACES / 2 + ended {
        assert_eq!(crowd.asks("acl save\r\n"), blocked(), "{n}");
    }
    for at in 0..PLACES / 2 {
        assert_eq!(killed(&crowd, at), (4..PLACES / 2 - 1).contains(&at), "{at}");
    }
    assert_eq!(crowd.asks("acl save\r\n"), refused());
    stage.others_go_on();
    file.let_go();
}

/// The reply of a transaction is not kept for a client that has gone, though its work goes on.
#[test]
fn no_reply_is_kept_for_who_has_gone() {
    let mut stage = Stage::new();
    let mut file = stage.config();
    let mut crowd = Crowd::new(&stage.engine);
    let counted = || stage.engine.memory.buffers.load(Ordering::Relaxed);
    let at_rest = counted();
    assert_eq!(crowd.asks(&format!("set long {}\r\n", "x".repeat(1 << 20))).0, "+OK\r\n");
    for begun in [true, false] {
        // As many as there are threads for files.
        while !begun && crowd.sessions.len() < 6 {
            assert_eq!(crowd.asks("config rewrite\r\n"), blocked());
        }
        let before = counted();
        crowd.asks("multi\r\nget long\r\nconfig rewrite\r\nexec\r\n");
        assert!(counted() - before >= 1 << 20, "{}", counted() - before);
        crowd.leaves();
        assert!(counted() - before < 4096, "{}", counted() - before);
    }
    file.let_go();
    crowd.answered("+OK\r\n");
    until("nothing more", || counted() == at_rest);
    assert_eq!(stage.client.ask("ping"), "+PONG");
}

/// What waits for a thread is memory of its client, until it has been done or withdrawn.
#[test]
fn what_waits_counts_as_its_clients_memory() {
    let stage = Stage::new();
    let engine = &stage.engine;
    let mut file = stage.config();
    let mut crowd = Crowd::new(engine);
    let counted = || engine.memory.buffers.load(Ordering::Relaxed);
    let at_rest = counted();
    // As many as there are threads for files, so that no other begins.
    for _ in 0..4 {
        assert_eq!(crowd.asks("config rewrite\r\n"), blocked());
    }
    let before = counted();
    let long = "x".repeat(1 << 20);
    assert_eq!(crowd.asks(&format!("set long {long}\r\n")).0, "+OK\r\n");
    let lines = "multi\r\nget long\r\nconfig rewrite\r\nexec\r\n";
    assert!(crowd.asks(lines).0.ends_with("+QUEUED\r\n"));
    let with_reply = counted() - before;
    assert!((1 << 20..1300 << 10).contains(&with_reply), "{with_reply}");
    let client = Arc::clone(&crowd.sessions.last().unwrap().client);
    assert!(client.told() >= 1 << 20, "{}", client.told());
    let with_transaction = counted();
    let setting = format!("config set dir {}\r\n", "/nosuch".repeat(100_000));
    assert_eq!(crowd.asks(&setting), blocked());
    assert!(counted() > with_transaction + 700_000, "{}", counted() - with_transaction);
    crowd.leaves();
    assert_eq!(counted(), with_transaction);
    file.let_go();
    crowd.answered("+OK\r\n");
    until("nothing more", || counted() == at_rest && client.told() < 1 << 20);
}

/// A target that does not answer keeps those behind it waiting; who goes meanwhile takes its keys
/// along.
#[test]
fn keys_that_wait_to_move_count_and_go_with_their_client() {
    let engine = engine_with("");
    let (let_go, told) = channel::<()>();
    let told = std::sync::Mutex::new(told);
    engine.on_dial(Box::new(move |_, _, timeout| {
        // Longer is taken as this.
        assert!(timeout <= Duration::from_secs(600), "{timeout:?}");
        let _ = told.lock().unwrap().recv_timeout(LONG);
        Err(DialError::Unreachable)
    }));
    let mut crowd = Crowd::new(&engine);
    assert_eq!(crowd.asks("set k v\r\n").0, "+OK\r\n");
    for _ in 0..16 {
        assert_eq!(crowd.asks("migrate h 1 k 0 9223372036854775807\r\n"), blocked());
    }
    let counted = || engine.memory.buffers.load(Ordering::Relaxed);
    let before = counted();
    let keys = " a-key-that-is-rather-long".repeat(10_000);
    assert_eq!(crowd.asks(&format!("migrate h 1 \"\" 0 9 keys{keys}\r\n")), blocked());
    assert!(counted() > before + 500_000, "{}", counted() - before);
    crowd.leaves();
    assert_eq!(counted(), before);
    drop(let_go);
    let unreachable = "-IOERR error or timeout connecting to the client\r\n";
    assert_eq!(crowd.answered(unreachable), 16);
    until("nothing more", || counted() == 0);
}

/// The first backup of a server that keeps nothing on disk begins its directory, which may hang:
/// what threads that serve clients do meanwhile does not wait for it.
#[test]
fn a_first_backup_that_hangs_keeps_no_other_client_waiting() {
    let folder = Folder::new("engine");
    let mut lock = Hanging::read_later(&folder.join("LOCK"));
    let engine = engine_with(&format!("dir {}", folder.path().display()));
    let mut crowd = Crowd::new(&engine);
    assert_eq!(crowd.asks("backup one\r\n"), blocked());
    let mut other = TestClient::new(&engine);
    until("the backup", || engine.durability.is_busy_with(Reason::Copy));
    assert!(!folder.join("MANIFEST").exists(), "it has the right to save before it begins");
    assert!(other.ask("bgsave").contains("can't BGSAVE right now"));
    assert_eq!(other.ask("save"), "-ERR Background save already in progress");
    assert_eq!(crowd.asks("backup two\r\n"), blocked());
    crowd.leaves();
    lock.let_go();
    let path = folder.join("backups/one").display().to_string();
    let reply = format!("${}\r\n{path}\r\n", path.len());
    assert_eq!(crowd.answered(&reply), 1);
    assert!(!folder.join("backups/two").exists());
    engine.close_data_dir();
}

/// Several that are the first at once, and the end meanwhile.
#[test]
fn first_backups_and_saves_stand_beside_each_other() {
    for _ in 0..10 {
        let folder = Folder::new("engine");
        let dir = folder.join("data");
        let engine = engine_with(&format!("dir {}", dir.display()));
        let mut crowd = Crowd::new(&engine);
        assert_eq!(crowd.asks("set a 1\r\n").0, "+OK\r\n");
        for name in ["one", "two", "three"] {
            assert_eq!(crowd.asks(&format!("backup {name}\r\n")), blocked());
        }
        let (reply, state) = crowd.asks("save\r\n");
        let busy = "-ERR Background save already in progress\r\n";
        assert!(state == State::Blocked || reply == busy, "{reply}");
        crowd.answered("");
        for name in ["one", "two", "three"] {
            assert!(dir.join("backups").join(name).join("MANIFEST").exists(), "{name}");
        }
        engine.run.stopping.store(true, Ordering::Release);
        engine.close().unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        // What is late opens nothing again.
        for line in ["backup four\r\n", "save\r\n"] {
            assert_eq!(crowd.asks(line), blocked());
            assert_eq!(crowd.answered("-ERR the server is shutting down\r\n"), 1, "{line}");
        }
        assert!(!dir.exists());
    }
}
