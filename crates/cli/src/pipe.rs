//! Bulk loading: the standard input goes to the server as it is while replies are counted.
//!
//! The last request is an `ECHO` of a unique text; its reply says that every other reply has come.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use wire::{ReplyParser, Value};

use crate::client::reason;
use crate::run::Terminal;

/// Loads the standard input.
#[must_use]
pub fn run(terminal: &mut Terminal) -> ExitCode {
    if let Err(trouble) = terminal.connect() {
        eprintln!("{trouble}");
        return ExitCode::FAILURE;
    }
    match load(terminal) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// A unique text to echo.
fn farewell() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("kvist-pipe-{:x}-{:x}-{count:x}", std::process::id(), since.as_nanos())
}

/// Copies the input and counts the replies; how many of them were errors.
fn load(terminal: &mut Terminal) -> Result<u64, String> {
    let (mut writer, mut reader) = terminal.client.split().map_err(|e| e.to_string())?;
    let last = farewell();
    let request = wire::request(["ECHO", &last]);
    let (sender, replies) = mpsc::channel();
    std::thread::spawn(move || {
        let mut chunk = vec![0; 64 << 10];
        loop {
            let read = reader.read(&mut chunk);
            if read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
                continue;
            }
            let done = !matches!(read, Ok(n) if n > 0);
            // The other side may have had enough.
            if sender.send(read.map(|n| chunk[..n].to_vec())).is_err() || done {
                return;
            }
        }
    });
    let writing = std::thread::spawn(move || {
        let copied = io::copy(&mut io::stdin(), &mut writer);
        copied.and_then(|_| writer.write_all(&request)).map_err(|e| reason(&e))
    });
    let timeout = match terminal.options.pipe_timeout {
        0 => Duration::MAX,
        seconds => Duration::from_secs(seconds),
    };
    let counted = count(&replies, last.as_bytes(), timeout, || writing.is_finished());
    let (errors, total) = counted?;
    println!("errors: {errors}, replies: {total}");
    Ok(errors)
}

fn count(
    replies: &mpsc::Receiver<io::Result<Vec<u8>>>,
    last: &[u8],
    timeout: Duration,
    sent: impl Fn() -> bool,
) -> Result<(u64, u64), String> {
    let (mut errors, mut total, mut told) = (0, 0, false);
    let mut parser = ReplyParser::new();
    loop {
        if !told && sent() {
            told = true;
            println!("All data transferred. Waiting for the last reply...");
        }
        let bytes = match replies.recv_timeout(timeout) {
            Ok(Ok(bytes)) if bytes.is_empty() => {
                return Err("Error: Server closed the connection".to_owned());
            }
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(format!("Error: {}", reason(&error))),
            // While the input is still being produced, silence means nothing.
            Err(mpsc::RecvTimeoutError::Timeout) if !sent() => continue,
            Err(_) => {
                return Err(format!("No replies for {} seconds: exiting.", timeout.as_secs()));
            }
        };
        parser.feed(&bytes);
        while let Some(reply) = parser.next_value().map_err(|e| format!("Error: {e}"))? {
            match reply {
                Value::Bulk(text) if text == last => {
                    println!("Last reply received from server.");
                    return Ok((errors, total));
                }
                reply => {
                    total += 1;
                    if let Some(text) = reply.as_error() {
                        errors += 1;
                        eprintln!("{}", String::from_utf8_lossy(text));
                    }
                }
            }
        }
    }
}
