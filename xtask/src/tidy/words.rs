//! The words of the field: a thing is called what a reader of other databases would search for.
//!
//! This project once had private names for common things. Those that are gone must not come back,
//! neither in names and comments nor in documents; the list below says what to write instead.
//! Strings, and code and quoted words of documents, are left alone: they may be another program's
//! words, or a user's data. Nor do comments speak of persons where a client, a thread or a
//! caller is meant.

use crate::source::Source;

/// A private word, with its other forms, and what it is called.
const WORDS: &[(&[&str], &str)] = &[
    (&["seat", "seats", "seated"], "worker context, worker, client session"),
    (&["desk", "desks"], "worker parts, connection, session"),
    (&["house"], "shared state"),
    (&["guest", "guests"], "caller session"),
    (&["party"], "client session"),
    (&["crew", "crews"], "worker pool"),
    (&["errand", "errands"], "background request"),
    (&["keeper", "keepers"], "cron, the cron thread"),
    (&["heed", "heeds", "heeded"], "request flags; read, follow"),
    (&["judge", "judges", "judged", "misjudge"], "check, filter"),
    (&["spike", "spikes"], "latency sample, latency monitor"),
    (&["hearing"], "notifier"),
    (&["news"], "notification, invalidation"),
    (&["bulletin", "audience"], "notifications, notification sink"),
    (&["lane", "lanes"], "write buffer"),
    (&["bell", "bells"], "wakeup"),
    (&["debt", "debts", "debtor", "debtors"], "deferred serve"),
    (&["survey", "surveys", "surveyed"], "snapshot scan"),
    (&["census"], "key counts"),
    (&["stranger", "strangers"], "unauthenticated client, remote client"),
    (&["parcel", "parcels"], "dumped key, batch, message"),
    (&["papers"], "certificates, keys"),
    (&["lottery", "dice"], "random choice, random source"),
    (&["vouch", "vouches", "vouched"], "sign, confirm"),
];

/// Words of comments that leave open what acts.
const PERSONS: &[&str] = &["whoever", "somebody", "someone", "nobody", "everybody", "anybody"];

/// Where a word of the list is the field's own.
const MEANT: &[(&str, &str)] = &[
    // Parts of a vector register.
    ("lane", "crates/commands/src/bitmap/"),
    ("lanes", "crates/commands/src/bitmap/"),
    ("lane", "crates/table/"),
    ("lanes", "crates/table/"),
];

/// The private words of a file: the line of each, counted from 0, and what to do about it.
pub fn check(path: &str, text: &str, source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (n, (line, code)) in text.lines().zip(&source.code).enumerate() {
        let said = words_of(&comment_of(line, code));
        if let Some(word) = said.iter().find(|word| PERSONS.contains(&word.as_str())) {
            found.push((n, format!("'{word}': name the client, thread or caller that is meant")));
        }
        let mut words = words_of(code);
        words.extend(said);
        words.sort_unstable();
        words.dedup();
        found.extend(words.iter().filter_map(|word| private(path, word)).map(|what| (n, what)));
    }
    found
}

/// The private words of a document, as those of a file with code: in its prose, neither in code nor
/// in what stands between quotation marks.
pub fn check_prose(path: &str, text: &str) -> Vec<(usize, String)> {
    let (mut found, mut in_code) = (Vec::new(), false);
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let prose = unquoted(line).to_lowercase().replace("third-party", "");
            let words = words_of(&prose);
            found.extend(words.iter().filter_map(|word| private(path, word)).map(|what| (n, what)));
        }
    }
    found
}

/// What to do about a word, if it is a private one here.
fn private(path: &str, word: &str) -> Option<String> {
    let is_meant = MEANT.iter().any(|(own, at)| *own == word && path.starts_with(at));
    let (_, instead) = WORDS.iter().find(|(forms, _)| forms.contains(&word) && !is_meant)?;
    Some(format!("'{word}' is a private word: say {instead}"))
}

/// A line of a document without what is code or quoted.
fn unquoted(line: &str) -> String {
    let outside = |text: &str, mark: char| -> String {
        text.split(mark).step_by(2).collect::<Vec<_>>().join(" ")
    };
    outside(&outside(line, '`'), '"')
}

/// What of a line is no code: there the scanner has put spaces.
fn comment_of(line: &str, code: &str) -> String {
    let both = line.chars().zip(code.chars());
    both.map(|(shown, code)| if code == ' ' { shown } else { ' ' }).collect()
}

/// The words of a text in lower case, those that names are made of one by one.
fn words_of(text: &str) -> Vec<String> {
    let (mut words, mut word, mut before) = (Vec::new(), String::new(), ' ');
    for c in text.chars() {
        let begins = !c.is_alphabetic() || (c.is_uppercase() && before.is_lowercase());
        if begins && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
