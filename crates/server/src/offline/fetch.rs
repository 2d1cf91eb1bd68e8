//! `kvist export --from`: a snapshot for Redis out of a running server, Kvist or Redis, over the
//! network. As a replica would ask for its first copy, but for nothing behind it.
//!
//! Nothing stands under the file's name before all of it has come, its sum is right, and it is on
//! disk.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::Line;
use rdb::Crc64;
use rustls::StreamOwned;
use tls::client::Trust;

use crate::dial;

/// Where the dataset is, and the user to log in as.
#[derive(Debug, Default)]
pub struct Source {
    /// `host:port`.
    pub address: String,
    /// A user's name.
    pub user: Option<String>,
    /// A password.
    pub password: Option<String>,
    /// With TLS, and how.
    pub tls: Option<Trust>,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Bytes of the file.
    pub bytes: u64,
    /// The file has a sum, and it is right.
    pub summed: bool,
}

/// A server that says nothing for so long is given up. One that is making a copy says something
/// every second.
const SILENCE: Duration = Duration::from_secs(60);
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(200);
/// Bytes of the sum at the end of a file.
const SUM: usize = 8;
/// Bytes of a mark behind a file whose length is not told.
const MARK: usize = 40;
/// The longest line of a reply that is believed.
const LINE_MAX: usize = 64 << 10;

/// Fetches a copy into a file, which is replaced as a whole.
///
/// # Errors
/// What is wrong, with the server's name.
pub fn fetch(source: &Source, to: &Path) -> Result<Fetched, String> {
    let at = |error: io::Error| format!("{}: {}", source.address, told(&error));
    let (host, port) = address(&source.address)?;
    let stream = dial::connect(host, port, CONNECT).map_err(at)?;
    stream.set_read_timeout(Some(SILENCE)).map_err(at)?;
    let stream: Box<dyn Line> = match &source.tls {
        None => Box::new(stream),
        Some(trust) => {
            let session = tls::client::shake_hands(trust, host, &mut &stream).map_err(at)?;
            Box::new(StreamOwned::new(session, stream))
        }
    };
    let mut server = Server { stream, input: Vec::new(), name: &source.address };
    server.introduce(source)?;
    let length = server.announced()?;
    let mut temporary = to.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let written = write(&mut server, length, &temporary).and_then(|fetched| {
        std::fs::rename(&temporary, to)
            .and_then(|()| sync_folder(to))
            .map_err(|error| format!("{}: {error}", to.display()))?;
        Ok(fetched)
    });
    if written.is_err() {
        // It may never have been made; the error that counts is the first.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The host and the port in `host:port`, `[host]:port`, or `host`.
pub(super) fn address(text: &str) -> Result<(&str, u16), String> {
    let wrong = || format!("'{text}' is not HOST:PORT");
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.starts_with('[') => {
            (host, port.parse().map_err(|_| wrong())?)
        }
        _ => (text, 6379),
    };
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if host.is_empty() { Err(wrong()) } else { Ok((host, port)) }
}

fn told(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "no answer in time".to_owned(),
        _ => error.to_string(),
    }
}

/// How the copy's end is known.
#[derive(Debug, PartialEq, Eq)]
enum Length {
    Bytes(u64),
    Mark(Vec<u8>),
}

struct Server<'a> {
    stream: Box<dyn Line>,
    /// Bytes that have come behind the last line.
    input: Vec<u8>,
    name: &'a str,
}

impl Server<'_> {
    fn says(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.name)
    }

    fn ask(&mut self, words: &[&str]) -> Result<Vec<u8>, String> {
        let sent = self.stream.write_all(&wire::request(words));
        sent.map_err(|error| self.says(told(&error)))?;
        self.line()
    }

    /// The next line that is not empty: a server that makes us wait sends empty ones.
    fn line(&mut self) -> Result<Vec<u8>, String> {
        loop {
            while let Some(end) = self.input.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.input.drain(..=end).collect();
                let line = line.trim_ascii_end();
                if !line.is_empty() {
                    return Ok(line.to_vec());
                }
            }
            if self.input.len() > LINE_MAX || self.more()? == 0 {
                return Err(
                    self.says("that is no server of this kind, or it closed the connection")
                );
            }
        }
    }

    /// Reads once; how much.
    fn more(&mut self) -> Result<usize, String> {
        let mut chunk = vec![0; 256 << 10];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(n) => {
                    self.input.extend_from_slice(&chunk[..n]);
                    return Ok(n);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.says(told(&error))),
            }
        }
    }

    /// Logs in, and says what is wanted.
    fn introduce(&mut self, source: &Source) -> Result<(), String> {
        if let Some(password) = &source.password {
            let mut words = vec!["AUTH"];
            words.extend(source.user.as_deref());
            words.push(password);
            let answer = self.ask(&words)?;
            if answer.starts_with(b"-") {
                return Err(self.says(String::from_utf8_lossy(&answer[1..])));
            }
        }
        // Servers before 7.0 do not know the first; their copy is as good, only that they would go
        // on sending behind it.
        for words in [["REPLCONF", "rdb-only", "1"], ["REPLCONF", "capa", "eof"]] {
            let answer = self.ask(&words)?;
            if answer.starts_with(b"-NO") {
                return Err(self.says(String::from_utf8_lossy(&answer[1..])));
            }
        }
        Ok(())
    }

    /// Asks for the copy; how long it will be.
    fn announced(&mut self) -> Result<Length, String> {
        let line = self.ask(&["SYNC"])?;
        let text = String::from_utf8_lossy(&line);
        if let Some(error) = text.strip_prefix('-') {
            return Err(self.says(error));
        }
        if let Some(mark) = line.strip_prefix(b"$EOF:").filter(|mark| mark.len() == MARK) {
            return Ok(Length::Mark(mark.to_vec()));
        }
        let length = text.strip_prefix('$').and_then(|digits| digits.parse().ok());
        length.map(Length::Bytes).ok_or_else(|| self.says(format!("'{text}' instead of a copy")))
    }
}

/// Writes what comes to a file and makes it durable.
fn write(server: &mut Server<'_>, length: Length, path: &Path) -> Result<Fetched, String> {
    let at = |error: io::Error| format!("{}: {error}", path.display());
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut sink = Sink::new(file.map_err(at)?);
    let mut shown = Progress::default();
    let hold = SUM + if matches!(length, Length::Mark(_)) { MARK } else { 0 };
    loop {
        let mut came = std::mem::take(&mut server.input);
        if let Length::Bytes(bytes) = length {
            // A server that does not know rdb-only goes on behind its copy.
            came.truncate(usize::try_from(bytes - sink.bytes).unwrap_or(usize::MAX));
        }
        sink.take(&came, hold).map_err(at)?;
        shown.show(sink.bytes, &length);
        let all = match &length {
            Length::Bytes(bytes) => sink.bytes == *bytes,
            Length::Mark(mark) => sink.held.ends_with(mark),
        };
        if all {
            break;
        }
        if server.more()? == 0 {
            return Err(server.says(format!("the connection ended after {} bytes", sink.bytes)));
        }
    }
    if let Length::Mark(mark) = &length {
        sink.held.truncate(sink.held.len() - mark.len());
        sink.bytes -= mark.len() as u64;
    }
    shown.end();
    let fetched = sink.finish().map_err(|what| server.says(what))?;
    sink.file.sync_all().map_err(at)?;
    Ok(fetched)
}

/// A file being written: its end is held back until it is known to be its end.
struct Sink {
    file: File,
    sum: Crc64,
    held: Vec<u8>,
    bytes: u64,
    head: Vec<u8>,
}

impl Sink {
    fn new(file: File) -> Self {
        Sink { file, sum: Crc64::default(), held: Vec::new(), bytes: 0, head: Vec::new() }
    }

    fn take(&mut self, bytes: &[u8], hold: usize) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.held.extend_from_slice(bytes);
        let ready = self.held.len().saturating_sub(hold);
        self.put(ready)
    }

    /// Writes the first of the bytes held back.
    fn put(&mut self, count: usize) -> io::Result<()> {
        let ready: Vec<u8> = self.held.drain(..count).collect();
        if self.head.len() < 9 {
            self.head.extend(ready.iter().take(9 - self.head.len()));
        }
        self.sum.update(&ready);
        self.file.write_all(&ready)
    }

    /// Writes the end, if it is the end of a file of Redis and the sum in it is right.
    fn finish(&mut self) -> Result<Fetched, String> {
        let short = "what came is no RDB file";
        let ready = self.held.len().checked_sub(SUM).ok_or(short)?;
        let last = self.held.get(..ready).and_then(|held| held.last().copied());
        self.put(ready).map_err(|error| error.to_string())?;
        let digits = |head: &[u8]| head.len() == 9 && head[5..].iter().all(u8::is_ascii_digit);
        if !(self.head.starts_with(b"REDIS") && digits(&self.head)
            || self.head.starts_with(b"VALKEY"))
            || last.is_some_and(|last| last != 0xff)
        {
            return Err(short.to_owned());
        }
        let mut stored = [0; SUM];
        stored.copy_from_slice(&self.held);
        let stored = u64::from_le_bytes(stored);
        let computed = self.sum.value();
        if stored != 0 && stored != computed {
            let text =
                format!("the copy is damaged: its sum is {stored:016x}, not {computed:016x}");
            return Err(text);
        }
        self.file.write_all(&self.held).map_err(|error| error.to_string())?;
        Ok(Fetched { bytes: self.bytes, summed: stored != 0 })
    }
}

/// What a terminal shows meanwhile.
#[derive(Default)]
struct Progress {
    last: Option<Instant>,
}

impl Progress {
    fn show(&mut self, bytes: u64, length: &Length) {
        let due = self.last.is_none_or(|last| last.elapsed() >= SHOWN);
        if !due || !io::stderr().is_terminal() {
            return;
        }
        self.last = Some(Instant::now());
        match length {
            Length::Bytes(all) => {
                let percent = bytes.saturating_mul(100) / (*all).max(1);
                eprint!("\rReceiving: {percent:>3} % of {} MB ", all >> 20);
            }
            Length::Mark(_) => eprint!("\rReceiving: {} MB ", bytes >> 20),
        }
        // It is only for show.
        let _ = io::stderr().flush();
    }

    fn end(&self) {
        if self.last.is_some() {
            eprintln!("\rReceiving: done                ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses() {
        assert_eq!(address("a:7000"), Ok(("a", 7000)));
        assert_eq!(address("a"), Ok(("a", 6379)));
        assert_eq!(address("[::1]:7000"), Ok(("::1", 7000)));
        assert_eq!(address("::1"), Ok(("::1", 6379)));
        assert!(address("a:b").is_err() && address(":1").is_err() && address("a:70000").is_err());
    }
}
