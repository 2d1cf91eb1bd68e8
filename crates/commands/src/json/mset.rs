//! JSON.MSET.

use std::collections::BTreeSet;

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Paths, Reply, Run, Spec, error,
};
use types::{Documents, JsonTools};

use super::assign::{Assignment, Condition, Outcome};
use super::document::{self, NEW_AT_ROOT};

/// Puts values at paths of several documents, as one.
pub struct MSet<'a>(Vec<(Key<'a>, &'a [u8], &'a [u8])>);

impl<'a> Command<'a> for MSet<'a> {
    const SPEC: Spec = Spec {
        name: "json.mset",
        group: Group::Json,
        since: "1.0.0",
        summary: "Puts values at paths of several documents, or new documents at keys, as one.",
        complexity: "O(N) in the size of the values, and in the values that paths visit that are \
                     not static",
        grammar: "assignment={key:key path:string value:string} ...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::range(1, -1, 3, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        tips: &["request_policy:multi_shard", "response_policy:all_succeeded"],
        behaviour: Behaviour::NEW.paths(Paths::Every(2, 3)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        if args.left() == 0 || !args.left().is_multiple_of(3) {
            return Err(error::wrong_arity("json.mset"));
        }
        let mut all = Vec::with_capacity(args.left() / 3);
        while args.left() > 0 {
            all.push((args.key()?, args.next()?, args.next()?));
        }
        Ok(MSet(all))
    }
}

impl<'a> MSet<'a> {
    /// Everything is read and every key looked at before the first is changed.
    fn prepare<H: Documents>(
        &self,
        host: &H,
        tools: &mut JsonTools,
    ) -> Result<Vec<Assignment<'a>>, CmdError> {
        let mut all: Vec<Assignment<'_>> = Vec::with_capacity(self.0.len());
        let mut made: BTreeSet<&[u8]> = BTreeSet::new();
        for (key, path, json) in &self.0 {
            let exists = document::peek(host, *key)?.is_some();
            let assignment = Assignment::new(tools, path, json, None)?;
            if !exists {
                if assignment.path.is_root() {
                    made.insert(key.bytes);
                } else if !made.contains(key.bytes) {
                    return Err(NEW_AT_ROOT);
                }
            }
            all.push(assignment);
        }
        Ok(all)
    }
}

impl<H: Documents> Run<H> for MSet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let how = (Condition::Always, false, Deadline::Keep);
        let mut changed: Vec<usize> = Vec::new();
        let mut is_whole = true;
        host.with_tools(|host, tools| {
            for (index, assignment) in self.prepare(host, tools)?.into_iter().enumerate() {
                // What cannot be put somewhere does not keep the others from their places.
                let outcome = assignment.apply(host, self.0[index].0, tools, how);
                let outcome = outcome.unwrap_or(Outcome::Nothing);
                is_whole &= outcome == Outcome::All;
                if outcome != Outcome::Nothing {
                    changed.push(index);
                }
            }
            Ok(())
        })?;
        let mut told: BTreeSet<&[u8]> = BTreeSet::new();
        for &index in &changed {
            let key = self.0[index].0;
            if told.insert(key.bytes) {
                host.notify(Class::Module, "json.mset", key);
            }
        }
        if is_whole {
            out.ok()
        } else {
            out.null()
        }
        if changed.is_empty() {
            return Ok(Effect::None);
        }
        if !host.is_recorded() {
            return Ok(Effect::AsSent);
        }
        // One request per place, so that a small change of a large document stays small.
        let request = |&index: &usize| {
            let (key, path, json) = self.0[index];
            Argv::new(&[b"JSON.SET", key.bytes, path, json])
        };
        Ok(Effect::Several(changed.iter().map(request).collect()))
    }
}
