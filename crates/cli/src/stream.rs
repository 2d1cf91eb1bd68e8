//! The connection to a server as one type: TCP, unix, or TCP with TLS on it. It can be split, so
//! that one thread writes while another reads.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::ClientConnection;

use crate::options::Target;

/// A connected socket.
pub enum Stream {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a unix socket.
    Unix(UnixStream),
    /// Over TCP and TLS.
    Tls(Box<Secure>),
}

impl Stream {
    /// Connects, and shakes hands if that is to be done.
    ///
    /// # Errors
    /// The server does not answer, or its certificate is not trusted.
    pub fn open(target: &Target) -> io::Result<Self> {
        if let Some(path) = &target.socket {
            return Ok(Stream::Unix(UnixStream::connect(path)?));
        }
        let stream = TcpStream::connect((target.host.as_str(), target.port))?;
        stream.set_nodelay(true)?;
        let Some(trust) = &target.tls else { return Ok(Stream::Tcp(stream)) };
        let session = tls::client::shake_hands(trust, &target.host, &mut &stream)?;
        let session = Arc::new(Mutex::new(session));
        Ok(Stream::Tls(Box::new(Secure { socket: stream, session, came: Vec::new(), taken: 0 })))
    }

    /// The same connection once more: one is for writing, the other for reading.
    ///
    /// # Errors
    /// The system gives no second handle.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Stream::Tcp(stream) => Stream::Tcp(stream.try_clone()?),
            Stream::Unix(stream) => Stream::Unix(stream.try_clone()?),
            Stream::Tls(secure) => Stream::Tls(Box::new(Secure {
                socket: secure.socket.try_clone()?,
                session: Arc::clone(&secure.session),
                came: Vec::new(),
                taken: 0,
            })),
        })
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(into),
            Stream::Unix(stream) => stream.read(into),
            Stream::Tls(secure) => secure.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tls(secure) => secure.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket with TLS on it. No thread waits for the socket while holding the session: a reader must
/// not block a writer. What TLS itself has to send (new keys) goes out with the next bytes written,
/// so that there is one writer of the socket.
pub struct Secure {
    socket: TcpStream,
    session: Arc<Mutex<ClientConnection>>,
    /// Ciphertext that was read.
    came: Vec<u8>,
    /// How much of it TLS has taken.
    taken: usize,
}

/// Bytes read from the socket at a time.
const CHUNK: usize = 16 << 10;

fn lock(session: &Mutex<ClientConnection>) -> MutexGuard<'_, ClientConnection> {
    // A panic of the other thread ends the program anyway.
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Secure {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            {
                let mut session = lock(&self.session);
                match session.reader().read(into) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    // Closing without a close_notify is closing all the same.
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                    done => return done,
                }
                if self.taken < self.came.len() {
                    self.taken += session.read_tls(&mut &self.came[self.taken..])?;
                    session.process_new_packets().map_err(io::Error::other)?;
                    continue;
                }
            }
            self.came.resize(CHUNK, 0);
            let n = self.socket.read(&mut self.came).inspect_err(|_| self.taken = CHUNK)?;
            self.came.truncate(n);
            self.taken = 0;
            if n == 0 {
                return Ok(0);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut sealed = Vec::new();
        let n = {
            let mut session = lock(&self.session);
            let n = session.writer().write(bytes)?;
            while session.wants_write() {
                session.write_tls(&mut sealed)?;
            }
            n
        };
        self.socket.write_all(&sealed)?;
        Ok(n)
    }
}
