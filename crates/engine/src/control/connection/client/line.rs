//! One connection as `CLIENT LIST` shows it.

use std::fmt::Write;
use std::mem::size_of;
use std::sync::atomic::Ordering::Relaxed;

use crate::client::Client;
use crate::control::{Control, identity};
use crate::session::Session;

/// The line of `client`, without a line feed. `asking` is the command the asking connection runs
/// right now: its own record of the last command is written only after the batch.
pub(super) fn line(control: &Control<'_>, client: &Client, asking: &'static str) -> String {
    let own = client.id == control.session.client.id;
    let now = control.seat.now;
    let seconds = |since: u64| now.saturating_sub(since) / 1000;
    let (input, output) = (client.input.load(Relaxed), client.output.load(Relaxed));
    let command = match client.command.load(Relaxed) {
        _ if own => asking,
        0 => "NULL",
        number => control.engine.table.entries().get(number - 1).map_or("NULL", |e| e.name()),
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
    // Replies are kept in one growing buffer per connection: nothing is reserved (`rbs`), and
    // there is no list of further buffers (`oll`, `omem`).
    let total = input + output + size_of::<Client>() + size_of::<Session>();
    let _ = write!(
        text,
        " sub={} psub={} ssub={} multi={} qbuf={input} qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 \
         rbp=0 obl={output} oll=0 omem=0 tot-mem={total} events={} cmd={command} user={} \
         redir=-1 resp={}",
        client.channels.load(Relaxed),
        client.patterns.load(Relaxed),
        client.shard_channels.load(Relaxed),
        client.multi.load(Relaxed),
        if output > 0 { "rw" } else { "r" },
        identity::USER,
        client.resp.load(Relaxed),
    );
    // Redis 7.0 does not know these two: shown only where a client has set them.
    if !labels.lib_name.is_empty() || !labels.lib_ver.is_empty() {
        let _ = write!(text, " lib-name={} lib-ver={}", labels.lib_name, labels.lib_ver);
    }
    text
}

fn flags(client: &Client) -> String {
    let flags = [
        (client.is_subscriber(), 'P'),
        (client.multi.load(Relaxed) >= 0, 'x'),
        (client.blocked.load(Relaxed) != 0, 'b'),
        (client.origin.unix, 'U'),
        (client.no_evict.load(Relaxed), 'e'),
        (client.no_touch.load(Relaxed), 'T'),
    ];
    let text: String = flags.iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect();
    if text.is_empty() { "N".to_owned() } else { text }
}
