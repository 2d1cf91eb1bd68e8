//! The client's side: one connection that generated clients call through.
//!
//! For `kvist-bench` and for tests. It does not reconnect, as measurements and tests must notice.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{HeaderName, HeaderValue, Request, Response, Uri};

/// Bytes of answers that may come before they are taken.
const WINDOW: u32 = 4 << 20;

/// A connection. Clones share it.
#[derive(Clone)]
pub struct ClientChannel {
    sender: SendRequest<Body>,
    headers: Vec<(HeaderName, HeaderValue)>,
    authority: String,
}

impl ClientChannel {
    /// Connects. On a runtime, which keeps the connection going.
    ///
    /// # Errors
    /// The connection is refused, or the server does not speak HTTP/2.
    pub async fn connect(addr: SocketAddr) -> io::Result<Self> {
        let socket = TcpStream::connect(addr).await?;
        socket.set_nodelay(true)?;
        Self::over(socket, addr.to_string()).await
    }

    /// The same over a socket that is connected: TLS, for example.
    ///
    /// # Errors
    /// The other end does not speak HTTP/2.
    pub async fn over(
        socket: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        authority: String,
    ) -> io::Result<Self> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW);
        let handshake = builder.handshake(TokioIo::new(socket)).await;
        let (sender, connection) = handshake.map_err(io::Error::other)?;
        tokio::spawn(async move {
            // Calls over the connection report the error.
            let _ = connection.await;
        });
        Ok(ClientChannel { sender, headers: Vec::new(), authority })
    }

    /// The same with a header in every call.
    ///
    /// # Errors
    /// Neither may be in a header.
    pub fn with(mut self, name: &str, value: &str) -> io::Result<Self> {
        let name = name.parse().map_err(io::Error::other)?;
        self.headers.push((name, value.parse().map_err(io::Error::other)?));
        Ok(self)
    }
}

impl Service<Request<Body>> for ClientChannel {
    type Response = Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.sender.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri = Uri::builder().scheme("http").authority(&*self.authority).path_and_query(path);
        if let Ok(uri) = uri.build() {
            *request.uri_mut() = uri;
        }
        for (name, value) in &self.headers {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        Box::pin(self.sender.send_request(request))
    }
}
