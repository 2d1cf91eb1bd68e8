//! Gathering keys: piece by piece, those alone that are there, of the type, and allowed.

use base::{CmdError, Effect, Protocol, Reply};
use types::{Held, KeyList, Ordered, Span};

use super::cursor;
use super::options::Options;
use super::span::rest;

/// Keys of a page where no limit is given.
const PAGE: usize = 1000;
/// Most names asked for at once.
const MOST: usize = 1024;
/// Fewest names asked for at once where some of them may be left out.
const LEAST: usize = 64;
/// Bytes of values after which fewer names are asked for at once.
const BYTES: usize = 256 << 10;
/// A page looks at so many names, and ten times as many as it may have keys, and then ends.
const EXAMINED: usize = 10_000;

/// What is wanted.
pub(super) struct Query<'a> {
    pub span: Span<'a>,
    pub options: &'a Options,
}

/// What was found.
#[derive(Default)]
struct Found {
    names: KeyList,
    /// What they hold, one for each name, if that is wanted.
    values: KeyList,
    /// Which of them hold strings.
    are_text: Vec<bool>,
    /// The last name that was looked at, unless there is nothing behind it.
    stopped: Option<Vec<u8>>,
}

/// What a piece was found to hold; empty where it need not be looked at.
#[derive(Default)]
struct Looked {
    /// Whether the key of this number is wanted.
    wanted: Vec<bool>,
    /// Where its text is among the bytes.
    texts: Vec<Option<std::ops::Range<usize>>>,
    bytes: Vec<u8>,
}

impl Query<'_> {
    /// Answers the keys.
    ///
    /// # Errors
    /// There are too many for one reply, or there is no index.
    pub fn answer<H: Ordered>(
        &self,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let Options { reverse, limit, page, .. } = self.options;
        if page.is_none() && !self.must_look(host) && host.may_all() {
            // As they are: they are all there, and all allowed.
            let most = (limit.unwrap_or(usize::MAX), host.most_replied());
            if host.answer_names(self.span, *reverse, most, out)? {
                return Ok(Effect::None);
            }
        }
        let found = self.gather(host)?;
        if self.options.page.is_some() {
            out.array(2);
            match &found.stopped {
                Some(name) => out.bulk(&cursor::write(name, self.options.reverse)),
                None => out.bulk(cursor::ENDS),
            }
        }
        found.write(self.options.values, out);
        Ok(Effect::None)
    }

    fn gather<H: Ordered>(&self, host: &mut H) -> Result<Found, CmdError> {
        let Options { reverse, limit, page, .. } = self.options;
        let most = host.most_replied();
        let wanted = match page {
            Some(_) => limit.unwrap_or(PAGE).min(most),
            None => limit.unwrap_or(usize::MAX),
        };
        // Where only a page is wanted, it does not matter which.
        let patience = match page {
            Some(_) if host.may_all() => EXAMINED.saturating_add(wanted.saturating_mul(10)),
            _ => usize::MAX,
        };
        let (mut found, mut examined, mut piece) = (Found::default(), 0, MOST);
        let mut last = page.clone().flatten();
        loop {
            let span = last.as_ref().map_or(self.span, |name| rest(self.span, *reverse, name));
            let mut names = KeyList::default();
            if found.names.len() >= wanted || examined >= patience {
                let more = any_left(host, span, *reverse)?;
                found.stopped = last.filter(|_| more);
                return Ok(found);
            }
            let left = wanted - found.names.len();
            let looks = self.must_look(host);
            let asked = if looks { left.clamp(LEAST, MOST).min(piece) } else { left.min(MOST) };
            if !looks && host.may_all() {
                // As they are: they are all there, and all allowed.
                let before = found.names.len();
                host.names(span, *reverse, asked, &mut found.names)?;
                examined += found.names.len() - before;
                if found.names.len() == before {
                    return Ok(found);
                }
                last = found.names.last().map(<[u8]>::to_vec);
            } else {
                host.names(span, *reverse, asked, &mut names)?;
                let looked = self.look(host, &names, looks);
                piece = if looked.bytes.len() > BYTES { (piece / 2).max(1) } else { MOST };
                names.truncate(found.take(&names, &looked, (left, self.options.values)));
                examined += names.len();
                match names.last() {
                    Some(name) => last = Some(name.to_vec()),
                    None => return Ok(found),
                }
            }
            if found.names.len() > most {
                return Err(too_many(most));
            }
        }
    }

    /// Whether names alone do not say which keys are wanted.
    fn must_look<H: Ordered>(&self, host: &mut H) -> bool {
        self.options.kind.is_some() || self.options.values || host.any_expires()
    }

    fn look<H: Ordered>(&self, host: &mut H, names: &KeyList, looks: bool) -> Looked {
        let mut looked = Looked::default();
        if looks {
            looked.wanted = vec![false; names.len()];
            looked.texts = vec![None; names.len()];
            let Options { kind, values, .. } = self.options;
            host.look_at(names, &mut |at, held| {
                looked.wanted[at] = kind.is_none_or(|kind| kind == held.kind());
                if let (true, true, Held::Text(text)) = (*values, looked.wanted[at], held) {
                    let start = looked.bytes.len();
                    looked.bytes.extend_from_slice(text);
                    looked.texts[at] = Some(start..looked.bytes.len());
                }
            });
        } else {
            looked.wanted = vec![true; names.len()];
            looked.texts = vec![None; names.len()];
        }
        if !host.may_all() {
            for (wanted, name) in looked.wanted.iter_mut().zip(names.iter()) {
                *wanted = *wanted && host.may(name);
            }
        }
        looked
    }
}

impl Found {
    /// Takes those that are wanted, so many at most; how many names were looked at for it.
    fn take(&mut self, names: &KeyList, looked: &Looked, (left, values): (usize, bool)) -> usize {
        let enough = self.names.len() + left;
        for at in 0..names.len() {
            if self.names.len() == enough {
                return at;
            }
            if !looked.wanted[at] {
                continue;
            }
            self.names.push(names.get(at));
            if values {
                let text = looked.texts[at].clone().and_then(|text| looked.bytes.get(text));
                self.are_text.push(text.is_some());
                self.values.push(text.unwrap_or_default());
            }
        }
        names.len()
    }

    fn write(&self, values: bool, out: &mut dyn Reply) {
        let len = self.names.len();
        let in_pairs = values && out.protocol() == Protocol::Resp3;
        out.array(if values && !in_pairs { 2 * len } else { len });
        for (at, name) in self.names.iter().enumerate() {
            if in_pairs {
                out.array(2);
            }
            out.bulk(name);
            if values {
                out.bulk_or_null(self.are_text[at].then(|| self.values.get(at)));
            }
        }
    }
}

/// Whether keys are left in a span: those past their deadline are none, but where there are many of
/// them in a row, the next page is to find out.
fn any_left<H: Ordered>(host: &mut H, span: Span, reverse: bool) -> Result<bool, CmdError> {
    let asked = if host.any_expires() { LEAST } else { 1 };
    let mut names = KeyList::default();
    host.names(span, reverse, asked, &mut names)?;
    if asked == 1 || names.len() == asked {
        return Ok(!names.is_empty());
    }
    let mut any = false;
    host.look_at(&names, &mut |_, _| any = true);
    Ok(any)
}

fn too_many(most: usize) -> CmdError {
    CmdError::owned(format!(
        "ERR the range holds more than {most} keys, the most of one reply (range-max-reply); page \
         through it with CURSOR 0"
    ))
}
