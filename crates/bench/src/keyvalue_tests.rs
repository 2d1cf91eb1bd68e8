//! A server that is fast because it does not do its work gets no figures.

use std::io::Write;
use std::net::TcpListener;

use super::{check_answers, load_keys};
use crate::client::{Client, Reply};
use crate::peer::Peer;

/// A server that says OK to everything, and answers `DBSIZE` with this number.
fn forgetful(keys: u64) -> Peer {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut answers = stream.try_clone().expect("a second handle");
            let mut requests = Client::over(stream);
            std::thread::spawn(move || {
                while let Ok(Reply::List(words)) = requests.read() {
                    let is = |name: &str| words[0] == Reply::Bytes(Some(name.as_bytes().to_vec()));
                    let info = format!("process_id:{}\r\nredis_version:0\r\n", std::process::id());
                    let answer = match () {
                        () if is("INFO") => format!("${}\r\n{info}\r\n", info.len()),
                        () if is("DBSIZE") => format!(":{keys}\r\n"),
                        () => "+OK\r\n".to_owned(),
                    };
                    if answers.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    Peer::running("forgetful", &addr).expect("it answers INFO")
}

#[test]
fn wrong_answers_are_not_timed() {
    let error = check_answers(&forgetful(0)).expect_err("it does not answer GET");
    assert!(error.to_string().contains("forgetful answered"), "{error}");
}

#[test]
fn keys_that_are_not_there_are_missed() {
    let error = load_keys(&forgetful(1999), 2000).map(|_| ()).expect_err("one is missing");
    assert!(error.to_string().contains("holds"), "{error}");
    assert!(load_keys(&forgetful(2000), 2000).is_ok());
}
