//! Operations of the Haystack API in every state: what a state refuses the command that one stands
//! for is refused the operation, by a status and with nothing of it done, and nothing else is.

use testkit::folder::Folder;

use super::doors::Doors;
use super::slow::{READING, Slow};
use super::*;
use crate::web::{Browser, Page, basic};

/// An operation, and the command whose fate it shares.
struct Op {
    name: &'static str,
    body: &'static str,
    command: &'static str,
    writes: bool,
}

const fn reads(name: &'static str, body: &'static str, command: &'static str) -> Op {
    Op { name, body, command, writes: false }
}

const fn writes(name: &'static str, body: &'static str, command: &'static str) -> Op {
    Op { name, body, command, writes: true }
}

const READ: &str = "FOLIO.READALL demo point";
const WRITE: &str = "FOLIO.COMMIT demo ADD {}";

/// The samples of two points, in columns.
const SEVERAL: &str = "ver:\"3.0\"\nts,v0 id:@a,v1 id:@b\n2024-05-01T01:00:00Z UTC,1,2\n\
                       2024-05-01T02:00:00Z UTC,3,\n";

/// Every operation that runs commands.
const OPS: &[Op] = &[
    reads("read", "ver:\"3.0\"\nfilter\n\"point\"\n", READ),
    reads("read", "ver:\"3.0\"\nid\n@a\n@nothing\n", "FOLIO.READBYIDS demo 1 a"),
    reads("export", "", READ),
    reads("nav", "", READ),
    reads("defs", "", READ),
    reads("libs", "", READ),
    reads("eval", "ver:\"3.0\"\nexpr\n\"readCount(point)\"\n", READ),
    reads("hisRead", "ver:\"3.0\"\nid,range\n@a,\"2024-05-01\"\n", "FOLIO.HIS.READ demo a"),
    reads("hisRead", "ver:\"3.0\" range:\"today\"\nid\n@a\n@b\n", "FOLIO.HIS.READ demo a"),
    reads("pointWrite", "ver:\"3.0\"\nid\n@a\n", "FOLIO.READBYIDS demo 1 a"),
    reads("watchSub", "ver:\"3.0\" watchDis:\"x\"\nid\n@a\n", "FOLIO.WATCH.OPEN demo x"),
    writes("commit", "ver:\"3.0\" commit:\"add\"\ntaken\nM\n", WRITE),
    writes("commit", "ver:\"3.0\" commit:\"update\" force\nid,taken\n@b,M\n", WRITE),
    writes(
        "hisWrite",
        "ver:\"3.0\" id:@a\nts,val\n2024-05-01T00:00:00Z UTC,1\n",
        "FOLIO.HIS.WRITE demo a []",
    ),
    writes("hisWrite", SEVERAL, "FOLIO.HIS.WRITEALL demo []"),
    writes("pointWrite", "ver:\"3.0\"\nid,level,val\n@a,8,5\n", WRITE),
    writes("eval", "ver:\"3.0\"\nexpr\n\"diff(null, {taken}, {add}).commit\"\n", WRITE),
    writes("invokeAction", "ver:\"3.0\" id:@a action:\"act\"\nempty\n", "FCALL act 1 demo"),
];

/// Every operation that runs none.
const WITHOUT: &[&str] = &["about", "close", "filetypes", "formats", "ops"];

/// Ops of a watch that is there already, which `haystack_watches.rs` has.
const OF_WATCHES: &[&str] = &["watchPoll", "watchUnsub"];

const POINTS: &str = "[{id:@a point his writable tz:\"UTC\" kind:\"Number\"},\
                      {id:@b point his tz:\"UTC\" kind:\"Number\"}]";

/// A function that writes.
const ACTIONS: &str = "#!lua name=actions
redis.register_function('act', function(keys)
redis.call('folio.commit', keys[1], 'ADD', '{taken}') return 'done' end)";

/// What makes the project.
const DEMO: &[&[&str]] = &[
    &["FUNCTION", "LOAD", "REPLACE", ACTIONS],
    &["FOLIO.OPEN", "demo"],
    &["FOLIO.COMMIT", "demo", "ADD", POINTS],
];

/// A server with a project.
fn doors(options: &[&str]) -> Doors {
    let doors = Doors::start(options);
    let mut client = doors.server().connect();
    DEMO.iter().for_each(|words| assert_eq!(class(&client.ask(words)), "fine", "{words:?}"));
    doors
}

/// Sends an operation.
fn say(doors: &Doors, op: &Op, user: Option<&str>) -> Browser<std::net::TcpStream> {
    let socket = std::net::TcpStream::connect(("127.0.0.1", doors.http)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut browser = Browser::new(socket);
    let mut head = format!("POST /api/demo/{}\nContent-Type: text/zinc", op.name);
    if let Some(user) = user {
        head.push_str(&format!("\nAuthorization: {}", basic(user, "pass")));
    }
    browser.say(&head, op.body);
    browser
}

/// The class of an answer: the code of an error, told by a status or by a grid.
fn class_of(page: &Page) -> String {
    let said = String::from_utf8_lossy(&page.body).into_owned();
    if page.status == 200 {
        let kind = said.split_once("errType:\"").and_then(|(_, rest)| rest.split('"').next());
        return kind.map_or_else(|| "fine".to_owned(), str::to_uppercase);
    }
    let json: serde_json::Value = serde_json::from_str(&said).unwrap_or_default();
    let error = json["error"].as_str().unwrap_or_default();
    let code = error.split(' ').next().unwrap_or_default().to_owned();
    let status = if code == "NOPERM" { 403 } else { 503 };
    assert_eq!(page.status, status, "{said}");
    code
}

/// How much there is, by which it shows whether anything was written.
fn much(server: &Server) -> Vec<String> {
    let lines =
        ["FOLIO.COUNT demo taken", "FOLIO.COUNT demo writeVal", "FOLIO.COUNT demo hisSize>0"];
    lines.iter().map(|line| format!("{:?}", server.tell(line))).collect()
}

/// What is answered otherwise than in plain.
fn otherwise(doors: &Doors, user: Option<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    for op in OPS {
        let mut client = doors.server().connect();
        if let Some(user) = user {
            assert_eq!(client.ask(&["AUTH", user, "pass"]), ok());
        }
        let plain = class(&client.ask(&op.command.split(' ').collect::<Vec<_>>()));
        let said = class_of(&say(doors, op, user).hear());
        if said != plain {
            wrong.push(format!("{} {:?}: {said}, plain: {plain}", op.name, op.body));
        }
    }
    wrong
}

#[test]
fn every_operation_has_a_line_here() {
    let doors = doors(&[]);
    let op = reads("ops", "", "");
    let said = say(&doors, &op, None).hear().text();
    let there = said.lines().filter_map(|line| line.strip_prefix("^op:")?.split(',').next());
    let here = OPS.iter().map(|op| op.name);
    let here = here.chain(WITHOUT.iter().copied()).chain(OF_WATCHES.iter().copied());
    assert_eq!(here.collect::<BTreeSet<_>>(), there.collect());
}

#[test]
fn what_a_state_refuses_commands_it_refuses_operations() {
    let full = |doors: &Doors| FULL.enter(doors.server());
    let reader = |doors: &Doors| READER.enter(doors.server());
    let disk = |doors: &Doors| {
        limit_files(doors.server(), "0");
        await_trouble(doors.server());
    };
    type Enter<'e> = &'e dyn Fn(&Doors);
    let states: [(&str, Enter<'_>, Option<&str>, &str); 4] = [
        ("ready", &|_| (), None, "fine"),
        ("memory full", &full, None, "OOM"),
        ("may only read", &reader, READER.user, "NOPERM"),
        ("disk full", &disk, None, "MISCONF"),
    ];
    for (name, enter, user, refusal) in states {
        if name == "disk full" && !can_limit_files() {
            continue;
        }
        let doors = doors(&["--appendonly", "yes"]);
        let before = much(doors.server());
        enter(&doors);
        let wrong = otherwise(&doors, user);
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
        let page = say(&doors, OPS.iter().find(|op| op.writes).unwrap(), user).hear();
        assert_eq!(class_of(&page), refusal, "{name}");
        assert_eq!(much(doors.server()) == before, name != "ready", "{name}");
    }
}

#[test]
fn operations_are_refused_while_the_dataset_is_read() {
    let mut slow = Slow::new();
    let doors = Doors::start_until(READING, &slow.args());
    let wrong = otherwise(&doors, None);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(class_of(&say(&doors, &OPS[0], None).hear()), "LOADING");
    slow.end();
}

#[test]
fn operations_are_answered_beside_a_script_over_its_time() {
    for threads in ["1", "2"] {
        let options = ["--io-threads", threads, "--busy-reply-threshold", OVERDUE_AFTER];
        let doors = doors(&options);
        let before = much(doors.server());
        // One that holds the project.
        let running = doors.server().hold("demo");
        for op in OPS {
            let said = class_of(&say(&doors, op, None).hear());
            assert_eq!(said, "BUSY", "{} {:?}", op.name, op.body);
        }
        assert_eq!(doors.server().tell("SCRIPT KILL"), ok());
        assert!(running.join().unwrap().contains("killed"));
        assert_eq!(much(doors.server()), before);
        let wrong = otherwise(&doors, None);
        assert!(wrong.is_empty(), "{threads} threads:\n{}", wrong.join("\n"));
    }
}

#[test]
fn operations_that_write_wait_for_the_end_of_a_pause() {
    let doors = doors(&[]);
    let before = much(doors.server());
    PAUSED.enter(doors.server());
    let mut waiting = Vec::new();
    for op in OPS {
        let mut browser = say(&doors, op, None);
        if op.writes {
            waiting.push((op, browser));
        } else {
            assert_eq!(class_of(&browser.hear()), "fine", "{}", op.name);
        }
    }
    eventually("all to wait", || doors.server().has_blocked(waiting.len()).then_some(()));
    for (op, browser) in &waiting {
        let socket = browser.socket.get_ref();
        socket.set_nonblocking(true).unwrap();
        assert!(socket.peek(&mut [0; 1]).is_err(), "{} does not wait", op.name);
        socket.set_nonblocking(false).unwrap();
    }
    assert_eq!(much(doors.server()), before);
    PAUSED.leave(doors.server());
    for (op, mut browser) in waiting {
        assert_eq!(class_of(&browser.hear()), "fine", "{}", op.name);
    }
    assert_ne!(much(doors.server()), before);
}

/// What a client writes until the server has gone: how many writes were acknowledged.
fn write_on(http: u16, name: &str, body: impl Fn(u64) -> String) -> u64 {
    use std::io::{Read, Write};
    let mut told = 0;
    for number in 1.. {
        let Ok(mut socket) = std::net::TcpStream::connect(("127.0.0.1", http)) else { return told };
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body(number);
        let request = format!(
            "POST /api/demo/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Content-Type: text/zinc\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut said = String::new();
        let sent = socket.write_all(request.as_bytes()).is_ok();
        if !sent || socket.read_to_string(&mut said).is_err() || said.is_empty() {
            return told;
        }
        if said.starts_with("HTTP/1.1 200") {
            assert!(!said.contains("errType"), "{said}");
            told = number;
        }
    }
    told
}

/// What was acknowledged is there afterwards; and of several points all have it, or none.
#[test]
fn what_operations_have_acknowledged_while_the_server_ends_is_there_afterwards() {
    let folder = Folder::missing("haystack-ending");
    let options = ["--dir", folder.text(), "--appendonly", "yes", "--appendfsync", "always"];
    let mut doors = doors(&options);
    let http = doors.http;
    let commit = move || {
        write_on(http, "commit", |number| {
            format!("ver:\"3.0\" commit:\"update\" force\nid,number\n@a,{number}\n")
        })
    };
    let samples = move || {
        write_on(http, "hisWrite", |number| {
            let (minute, second) = (number / 60, number % 60);
            let (hour, minute) = (minute / 60, minute % 60);
            let at = format!("2024-05-01T{hour:02}:{minute:02}:{second:02}Z UTC");
            format!("ver:\"3.0\"\nts,v0 id:@a,v1 id:@b\n{at},{number},{number}\n")
        })
    };
    let reads = move || write_on(http, "read", |_| "ver:\"3.0\"\nfilter\n\"point\"\n".to_owned());
    let his_read =
        move || write_on(http, "hisRead", |_| "ver:\"3.0\"\nid,range\n@a,\"today\"\n".to_owned());
    let (committed, written) = thread::scope(|scope| {
        let (commits, writes) = (scope.spawn(commit), scope.spawn(samples));
        let others = [scope.spawn(reads), scope.spawn(his_read)];
        let server = doors.server();
        eventually("writes by all", || {
            let told = server.tell("FOLIO.COUNT demo number>20").as_i64();
            let sizes = server.tell("FOLIO.COUNT demo hisSize>20").as_i64();
            (told == Some(1) && sizes == Some(2)).then_some(())
        });
        server.signal("TERM");
        others.into_iter().for_each(|other| assert!(other.join().unwrap() > 0));
        (commits.join().unwrap(), writes.join().unwrap())
    });
    assert!(doors.calls.server.ended().success());
    assert!(committed > 0 && written > 0);
    drop(doors);
    let server = Server::start(&options);
    let count = |filter: &str| server.connect().ask(&["FOLIO.COUNT", "demo", filter]).as_i64();
    assert_eq!(count(&format!("number >= {committed}")), Some(1), "{committed}");
    let sizes = ["a", "b"].map(|id| {
        let history = server.tell(&format!("FOLIO.HIS.READ demo {id}"));
        history.as_slice().unwrap().len() as u64
    });
    assert!(sizes[0] == sizes[1] && sizes[0] >= written, "{sizes:?}, acknowledged: {written}");
}
