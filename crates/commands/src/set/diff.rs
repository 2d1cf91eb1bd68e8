//! SDIFF, SDIFFSTORE.

use base::{Args, CmdError, Command, Effect, Holds, PackLimits, Reply, Run, Spec};
use types::Set;

use super::sources::{ANSWERING, STORING, Sources, Storing, reply};

/// Answers the members of a set that others do not have.
pub struct SDiff<'a>(Sources<'a>);

impl<'a> Command<'a> for SDiff<'a> {
    const SPEC: Spec = Spec {
        name: "sdiff",
        summary: "Answers the members of a set that several others lack.",
        complexity: "O(N), when N is the number of members of all sets together",
        ..ANSWERING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SDiff(Sources::parse(&mut args)))
    }
}

impl<H: Holds<Set>> Run<H> for SDiff<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = difference(&self.0, host)?;
        reply(result.iter(), out);
        Ok(Effect::None)
    }
}

/// Stores the members of a set that others do not have.
pub struct SDiffStore<'a>(Storing<'a>);

impl<'a> Command<'a> for SDiffStore<'a> {
    const SPEC: Spec = Spec {
        name: "sdiffstore",
        summary: "Stores the members of a set that several others lack.",
        complexity: "O(N), when N is the number of members of all sets together",
        ..STORING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Storing::parse(args).map(SDiffStore)
    }
}

impl<H: Holds<Set>> Run<H> for SDiffStore<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let result = difference(&self.0.sources, host)?;
        Ok(self.0.store("sdiffstore", result, host, out))
    }
}

/// The way to the result is chosen as in Redis, because its encoding tells which one was taken:
/// a set that members were removed from may keep the form it needed for them.
fn difference<H: Holds<Set>>(sources: &Sources<'_>, host: &H) -> Result<Set, CmdError> {
    let limits = host.limits();
    let sets = sources.sets(host)?;
    let Some((Some(first), others)) = sets.split_first() else { return Ok(Set::default()) };
    let mut others: Vec<&Set> = others.iter().copied().flatten().collect();
    if others.iter().any(|other| std::ptr::eq(*other, *first)) {
        return Ok(Set::default());
    }
    // Looking every member up in every set is assumed to stop half way on average.
    let look_ups = first.len().saturating_mul(others.len() + 1) / 2;
    let members = first.len() + others.iter().map(|other| other.len()).sum::<usize>();
    if look_ups <= members {
        // The largest set is the likeliest to have a member.
        others.sort_by_key(|other| std::cmp::Reverse(other.len()));
        Ok(by_look_up(first, &others, &limits))
    } else {
        Ok(by_removal(first, &others, &limits))
    }
}

/// Adds what none of the others has. O(N*M) for N members of the first set and M others.
fn by_look_up(first: &Set, others: &[&Set], limits: &PackLimits) -> Set {
    let mut result = Set::default();
    for member in first.iter() {
        if !others.iter().any(|other| other.contains_member(member)) {
            result.add_member(member, limits);
        }
    }
    result
}

/// Copies the first set and removes what the others have. O(N) for N members of all sets.
fn by_removal(first: &Set, others: &[&Set], limits: &PackLimits) -> Set {
    let mut result = Set::default();
    for member in first.iter() {
        result.add_member(member, limits);
    }
    for other in others {
        for member in other.iter() {
            result.remove(&member.text());
        }
        if result.is_empty() {
            break;
        }
    }
    result
}
