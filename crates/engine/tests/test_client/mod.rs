//! Workers and sessions without sockets, for tests.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::Protocol;
use config::Settings;
use kvist_engine::{ClientId, Engine, Mailbox, Message, Origin, Session, Start, State, Worker};
use parking_lot::Mutex;

/// A mailbox that keeps what is posted.
#[derive(Default)]
pub struct MessageQueue(Mutex<HashMap<ClientId, Vec<Message>>>);

impl MessageQueue {
    /// What has been posted to a client since this was last asked.
    pub fn take(&self, client: ClientId) -> Vec<Message> {
        self.0.lock().remove(&client).unwrap_or_default()
    }

    /// Whether nothing has.
    pub fn is_empty(&self, client: ClientId) -> bool {
        self.0.lock().get(&client).is_none_or(Vec::is_empty)
    }
}

impl Mailbox for MessageQueue {
    fn post(&self, client: ClientId, message: Message) {
        self.0.lock().entry(client).or_default().push(message);
    }
}

/// An engine over an empty dataset.
pub fn engine() -> Arc<Engine> {
    engine_with("")
}

/// The same, started with these lines of a configuration file.
pub fn engine_with(lines: &str) -> Arc<Engine> {
    Engine::new(start(lines)).unwrap()
}

/// What such an engine is started with.
pub fn start(lines: &str) -> Start {
    let mut settings = Settings::new(4);
    // Nothing is written where the tests run, whatever they ask for.
    let nowhere = "dir /dev/null/nowhere\nappendonly no\nsave \"\"\n";
    settings.apply_text(nowhere.as_bytes(), "every test").unwrap();
    settings.apply_text(lines.as_bytes(), "a test").unwrap();
    Start::new(settings, [1, 2, 3, 4], 1_000_000)
}

/// One client with a worker of its own.
pub struct TestClient {
    pub worker: Worker,
    pub session: Session,
    pub messages: Arc<MessageQueue>,
}

/// Runs something, and looks whenever this thread writes a line of the log.
pub fn looking_at_log<R>(
    look: impl Fn(&str) + Send + Sync + 'static,
    run: impl FnOnce() -> R,
) -> R {
    tracing::subscriber::with_default(Lines(look), run)
}

/// What takes the lines of the log.
struct Lines<L>(L);

impl<L: Fn(&str) + Send + Sync + 'static> tracing::Subscriber for Lines<L> {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = String::new();
        event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            if field.name() == "message" {
                line = format!("{value:?}");
            }
        });
        (self.0)(&line);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// Kills scripts if the test fails: a thread with an endless one would be waited for.
pub struct KilledOnFailure<'e>(pub &'e Arc<Engine>);

impl Drop for KilledOnFailure<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            TestClient::new(self.0).feed("SCRIPT KILL\r\n");
        }
    }
}

impl TestClient {
    pub fn new(engine: &Arc<Engine>) -> Self {
        let messages = Arc::new(MessageQueue::default());
        let mailbox = Arc::clone(&messages) as Arc<dyn Mailbox>;
        let client = engine.clients.add(Origin::default(), 1_000_000, mailbox);
        let mut worker = Worker::new(engine, client.id);
        worker.begin(1_000_000);
        let mut session = Session::new(client, true);
        session.speak(Protocol::Resp2);
        TestClient { worker, session, messages }
    }

    /// Feeds bytes; the replies as text, and how it went on.
    pub fn feed(&mut self, bytes: &str) -> (String, State) {
        let mut out = Vec::new();
        let mut input = bytes.as_bytes().to_vec();
        let fed = self.worker.feed(&mut self.session, &mut input, &mut out);
        // Values of some commands are no text.
        (String::from_utf8_lossy(&out).into_owned(), fed.state)
    }

    /// What was pushed to this client since this was last asked, as it goes over the line;
    /// nothing else may have been posted.
    pub fn pushed(&self) -> Vec<String> {
        let messages = self.messages.take(self.session.client.id);
        let pushes = messages.into_iter().map(|message| match message {
            Message::Push(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        });
        pushes.collect()
    }

    /// The last word of each push: of keyspace events the event, or the key of channels that are
    /// named for events.
    pub fn heard(&self) -> Vec<String> {
        let last = |push: &String| push.trim_end().rsplit("\r\n").next().unwrap().to_owned();
        self.pushed().iter().map(last).collect()
    }

    /// The reply of a request that another thread answers, without the line break.
    pub fn answered(&mut self) -> String {
        let begun = Instant::now();
        loop {
            if let Some(message) = self.messages.take(self.session.client.id).pop() {
                let Message::Unblocked { ticket, reply } = message else { panic!("{message:?}") };
                let mut out = Vec::new();
                assert!(self.worker.unblock(&mut self.session, ticket, &reply, &mut out));
                return String::from_utf8(out).unwrap().trim_end().to_owned();
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "no answer");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The reply of a request that waits, without the line break: its time is up, if it has one.
    pub fn waited(&mut self) -> String {
        let limited = self.session.blocked.as_ref().is_some_and(|wait| wait.until.is_some());
        let mut out = Vec::new();
        if limited && self.worker.give_up(&mut self.session, &mut out) {
            return String::from_utf8(out).unwrap().trim_end().to_owned();
        }
        self.answered()
    }

    /// Runs one inline request and gives its reply without the line break: also one that another
    /// thread answers, but none that waits for a key.
    pub fn ask(&mut self, line: &str) -> String {
        let (reply, _) = self.feed(&format!("{line}\r\n"));
        match self.session.blocked.as_ref().is_some_and(|blocked| !blocked.waits_for_keys()) {
            true => self.answered(),
            false => reply.trim_end().to_owned(),
        }
    }
}
