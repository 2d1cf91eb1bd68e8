//! One connection as `CLIENT LIST` shows it.

use std::fmt::Write;
use std::mem::size_of;
use std::sync::atomic::Ordering::Relaxed;

use base::Millis;

use crate::client::session::Session;
use crate::client::{Client, ClientId};
use crate::engine::Engine;
use crate::engine::context::Control;

/// The request that asks for the line of `client`, if it is the client's own. What a client's
/// record says of it is written only after the batch, and its words lie in the worker's buffers.
pub(crate) struct Asking<'a> {
    /// The command.
    pub command: &'static str,
    /// All words of it.
    pub words: &'a [&'a [u8]],
}

impl Asking<'_> {
    /// Bytes of the words.
    fn arguments(&self) -> usize {
        self.words.iter().map(|word| word.len()).sum()
    }

    /// Bytes of the request as it came, which Redis keeps until it is done.
    fn request(&self) -> usize {
        wire::request(self.words.iter().copied()).len()
    }
}

/// The session that asks for a line, and when.
pub(crate) struct Viewer<'v> {
    /// What all workers share.
    pub engine: &'v Engine,
    /// The time.
    pub now: Millis,
    /// The client that asks.
    pub own: ClientId,
}

impl<'v> Viewer<'v> {
    /// The client of a request.
    pub fn of(control: &'v Control<'_>) -> Self {
        let own = control.session.client.id;
        Viewer { engine: control.engine, now: control.context.now, own }
    }
}

/// The line of `client`, without a line feed.
pub(crate) fn line(viewer: &Viewer<'_>, client: &Client, asking: &Asking<'_>) -> String {
    let Viewer { engine, now, own } = *viewer;
    let own = client.id == own;
    let seconds = |since: u64| now.saturating_sub(since) / 1000;
    let command = match client.command.load(Relaxed) {
        _ if own => asking.command,
        0 => "NULL",
        number => engine.table.entries().get(number - 1).map_or("NULL", |e| e.name()),
    };
    let labels = client.labels.lock().clone();
    let mut text = format!(
        "id={} addr={} laddr={} fd={} name={} age={} idle={} flags={} db={}",
        client.id,
        client.origin.addr,
        client.origin.laddr,
        client.origin.fd,
        labels.name,
        seconds(client.since),
        if own { 0 } else { seconds(client.last.load(Relaxed)) },
        flags(client),
        client.db.load(Relaxed),
    );
    let _ = write!(
        text,
        " sub={} psub={} ssub={} multi={} {} cmd={command} user={} redir={} resp={}",
        client.subscribed.channels.load(Relaxed),
        client.subscribed.patterns.load(Relaxed),
        client.subscribed.shard_channels.load(Relaxed),
        client.state.multi.load(Relaxed),
        memory(client, own.then_some(asking)),
        String::from_utf8_lossy(engine.users.of(client).name()),
        redirection(client),
        client.resp.load(Relaxed),
    );
    // Redis 7.0 does not know these two: shown only where a client has set them.
    if !labels.lib_name.is_empty() || !labels.lib_ver.is_empty() {
        let _ = write!(text, " lib-name={} lib-ver={}", labels.lib_name, labels.lib_ver);
    }
    text
}

/// What the client's buffers hold and take. At rest it has none: requests are read to, and replies
/// written to, buffers of the worker's.
fn memory(client: &Client, asking: Option<&Asking<'_>>) -> String {
    let (input, room) =
        (client.buffers.input.load(Relaxed), client.buffers.input_room.load(Relaxed));
    let request = asking.map_or(0, Asking::request);
    let arguments = asking.map_or(0, Asking::arguments) + client.bytes.waiting.load(Relaxed);
    let queued = client.bytes.queued.load(Relaxed) + client.bytes.watched.load(Relaxed);
    let (first, peak) =
        (client.buffers.output_room.load(Relaxed), client.buffers.output_peak.load(Relaxed));
    let (pieces, behind) =
        (client.buffers.output_pieces.load(Relaxed), client.buffers.output_behind.load(Relaxed));
    let piled = client.buffers.output_behind_room.load(Relaxed);
    let output = client.buffers.output.load(Relaxed);
    let own = size_of::<Client>() + size_of::<Session>();
    // What its owner has told, if there is one that tells.
    let told = client.told_by_owner();
    let kept = if told > 0 { told } else { own + room + client.kept() + first + piled };
    let elsewhere = client.bytes.elsewhere.load(Relaxed);
    let total = kept + elsewhere + asking.map_or(0, |asking| request + asking.arguments());
    format!(
        "qbuf={} qbuf-free={} argv-mem={arguments} multi-mem={queued} rbs={first} rbp={peak} \
         obl={} oll={pieces} omem={piled} tot-mem={total} events={}",
        input + request,
        room.saturating_sub(input),
        output.saturating_sub(behind),
        if output > 0 { "rw" } else { "r" },
    )
}

/// Where its notices of stale copies go; -1 if it does not want any.
fn redirection(client: &Client) -> i64 {
    if !client.tracking.on.load(Relaxed) {
        return -1;
    }
    i64::try_from(client.tracking.redirect.load(Relaxed)).unwrap_or(i64::MAX)
}

fn flags(client: &Client) -> String {
    let flags = [
        (client.state.monitors.load(Relaxed), 'O'),
        (client.is_subscriber(), 'P'),
        (client.state.multi.load(Relaxed) >= 0, 'x'),
        (client.state.blocked.load(Relaxed) != 0 || client.state.paused.load(Relaxed), 'b'),
        (client.tracking.on.load(Relaxed), 't'),
        (client.tracking.broken_redirect.load(Relaxed), 'R'),
        (client.tracking.broadcast.load(Relaxed), 'B'),
        (client.origin.unix, 'U'),
        (client.state.no_evict.load(Relaxed), 'e'),
        (client.state.no_touch.load(Relaxed), 'T'),
    ];
    let text: String = flags.iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect();
    if text.is_empty() { "N".to_owned() } else { text }
}
