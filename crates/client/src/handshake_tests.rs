//! Old servers, wrong passwords, refusals: each against made-up replies.

use super::Handshake;
use crate::error::{Class, Error};
use crate::options::{Options, Protocol};
use wire::{ReplyParser, Value};

/// Plays a server: what was sent in each round, and how it ended.
fn play(options: &Options, answers: &[&str]) -> (Vec<String>, Result<u8, Error>) {
    let mut out = Vec::new();
    let mut rounds = Vec::new();
    let mut handshake = Handshake::begin(options, &mut out);
    let mut answers = answers.iter();
    loop {
        if !out.is_empty() {
            let mut parser = ReplyParser::new();
            parser.feed(&std::mem::take(&mut out));
            let mut words = Vec::new();
            while let Ok(Some(Value::Array(request))) = parser.next_value() {
                let text = |word: &Value| {
                    String::from_utf8_lossy(word.as_bytes().unwrap_or_default()).into_owned()
                };
                words.push(request.iter().map(text).collect::<Vec<_>>().join(" "));
            }
            rounds.push(words.join("; "));
        }
        if handshake.is_done() {
            return (rounds, Ok(handshake.protocol()));
        }
        let answer = answers.next().expect("an answer for each request");
        let mut parser = ReplyParser::new();
        parser.feed(answer.as_bytes());
        let reply = parser.next_value().unwrap().unwrap();
        if let Err(error) = handshake.answer(&reply, options, &mut out) {
            return (rounds, Err(error));
        }
    }
}

const HELLO: &str = "%1\r\n+proto\r\n:3\r\n";
const UNKNOWN: &str = "-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n";

fn full() -> Options {
    Options {
        db: 2,
        username: Some("u".into()),
        password: Some("p".into()),
        name: Some("n".into()),
        library: Some(("lib".into(), String::new())),
        ..Options::default()
    }
}

fn bare(protocol: Protocol) -> Options {
    Options { protocol, library: None, ..Options::default() }
}

#[test]
fn everything_goes_out_at_once() {
    let unknown_info = "-ERR unknown subcommand 'SETINFO'\r\n";
    let (rounds, end) = play(&full(), &[HELLO, "+OK\r\n", unknown_info, "+OK\r\n"]);
    assert_eq!(end.unwrap(), 3);
    assert_eq!(
        rounds,
        ["HELLO 3 AUTH u p; CLIENT SETNAME n; CLIENT SETINFO LIB-NAME lib; SELECT 2"]
    );
    let (rounds, end) = play(&bare(Protocol::Resp2), &[]);
    assert_eq!((rounds.len(), end.unwrap()), (0, 2));
    let password = Options { password: Some("p".into()), ..bare(Protocol::Resp2) };
    assert_eq!(play(&password, &["+OK\r\n"]).0, ["AUTH p"]);
    let password = Options { protocol: Protocol::Resp3, ..password };
    assert_eq!(play(&password, &[HELLO]).0, ["HELLO 3 AUTH default p"]);
}

#[test]
fn old_servers() {
    let no_auth = "-NOAUTH Authentication required.\r\n";
    let arguments = "-ERR wrong number of arguments for 'auth' command\r\n";
    let (rounds, end) = play(
        &full(),
        &[
            UNKNOWN,
            no_auth,
            no_auth,
            no_auth, //
            arguments,
            no_auth,
            no_auth,
            no_auth, //
            "+OK\r\n",
            "+OK\r\n",
            "-ERR unknown\r\n",
            "+OK\r\n",
        ],
    );
    assert_eq!(end.unwrap(), 2);
    assert_eq!(rounds.len(), 3);
    assert!(rounds[1].starts_with("AUTH u p; ") && rounds[2].starts_with("AUTH p; "));
    let (_, end) = play(&bare(Protocol::Resp3), &[UNKNOWN]);
    assert_eq!(end.unwrap_err().class(), Class::Response, "RESP3 was asked for");
    let (_, end) = play(&bare(Protocol::Newest), &["-NOPROTO unsupported protocol version\r\n"]);
    assert_eq!(end.unwrap(), 2);
}

#[test]
fn the_first_refusal_is_the_reason() {
    let wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    let no_auth = "-NOAUTH Authentication required.\r\n";
    let (_, end) = play(&full(), &[wrong, no_auth, no_auth, no_auth]);
    let error = end.unwrap_err();
    assert_eq!(error.class(), Class::Authentication);
    assert!(error.to_string().starts_with("WRONGPASS"), "{error}");
    let (_, end) =
        play(&full(), &[HELLO, "+OK\r\n", "+OK\r\n", "-ERR DB index is out of range\r\n"]);
    assert_eq!(end.unwrap_err().class(), Class::Response);
    let (_, end) = play(&bare(Protocol::Newest), &["-LOADING Redis is loading\r\n"]);
    assert_eq!(end.unwrap_err().class(), Class::BusyLoading);
}
