//! A request as its handler sees it.

use std::sync::Arc;

use engine::ClientMemory;
use tokio::sync::Mutex;

use crate::aside::{self, SessionGuard};
use crate::body::BufferedBody;
use crate::port::Http;
use crate::reply::Refusal;
use crate::session::ClientSession;
use crate::text::Query;

/// A request that was let in.
pub struct ApiRequest {
    /// The port.
    pub http: Arc<Http>,
    /// The client's session. Held by one handler at a time, or by the task that writes the body of
    /// its answer.
    pub client: Arc<Mutex<ClientSession>>,
    /// Counts for the connection what is kept for this request.
    pub memory: ClientMemory,
    /// What stands for `{…}` in the path.
    pub values: Vec<Vec<u8>>,
    /// The query.
    pub query: Query,
    /// The body, where one is expected.
    pub body: Option<BufferedBody>,
}

impl ApiRequest {
    /// The key in the path.
    pub fn key(&self) -> &[u8] {
        self.values.first().map_or(&[], Vec::as_slice)
    }

    /// The session, when no other handler has it any more.
    pub async fn session(&self) -> SessionGuard {
        SessionGuard::new(Arc::clone(&self.client).lock_owned().await)
    }

    /// Reads the body, as [`ApiRequest::read_body`] does, and keeps nothing of it. What is made of
    /// it meanwhile, which is about as long, counts, too.
    ///
    /// # Errors
    /// What `read` says.
    pub async fn take_body<R: Send + 'static>(
        &mut self,
        read: impl FnOnce(&[u8]) -> Result<R, Refusal> + Send + 'static,
    ) -> Result<R, Refusal> {
        let bytes = self.body.as_ref().map_or(0, BufferedBody::len);
        let _made = self.memory.beside(bytes);
        let done = self.read_body(read).await;
        self.body = None;
        done
    }

    /// Reads the body: on another thread, if it is long.
    ///
    /// # Errors
    /// What `read` says.
    pub async fn read_body<R: Send + 'static>(
        &mut self,
        read: impl FnOnce(&[u8]) -> Result<R, Refusal> + Send + 'static,
    ) -> Result<R, Refusal> {
        let mut body = self.body.take();
        let bytes = body.as_ref().map_or(0, BufferedBody::len);
        let read = move || {
            let done = read(body.as_mut().map_or(&[], BufferedBody::bytes));
            (done, body)
        };
        let done;
        // It is counted as the request's memory for as long as that is answered.
        (done, self.body) = aside::work(&self.http.workers, bytes, read).await?;
        done
    }
}
