//! What a worker keeps for statements on graphs: those that it has prepared.

use std::collections::HashMap;
use std::sync::Arc;

use ::graph::procedure::Builtin;
use ::graph::query::{Error, Interrupt, NoInterrupt, Prepared};
use base::{Context, Rng};

/// How many statements are kept.
const PLANS: usize = 256;

/// What commands on graphs need from one request to the next.
#[derive(Default)]
pub struct GraphTools {
    plans: HashMap<Box<str>, (Arc<Prepared>, u64)>,
    /// How often a statement was asked for.
    asked: u64,
}

impl Context for GraphTools {
    fn seeded(_: &mut Rng) -> Self {
        GraphTools::default()
    }
}

impl GraphTools {
    /// Longer texts, in bytes, are not kept:
    /// [`prepare_long`](GraphTools::prepare_long) is for them.
    pub const LONGEST: usize = 4 << 10;

    /// The statement of a text of any length, of which the query begins at `body`, prepared in so
    /// many bytes of memory, about. Asks meanwhile whether it goes on.
    ///
    /// # Errors
    /// It is no statement, or too long a one, or it is to end.
    pub fn prepare_long(
        text: &str,
        body: u32,
        memory: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<Prepared, Error> {
        Prepared::compile_behind(text, body, &Builtin, memory, interrupt)
    }

    /// The statement of a text, of which the query begins at `body`, and whether it was known.
    ///
    /// # Errors
    /// It is no statement.
    pub fn prepare(&mut self, text: &str, body: u32) -> Result<(Arc<Prepared>, bool), Error> {
        let query = usize::try_from(body).ok().and_then(|body| text.get(body..)).unwrap_or(text);
        self.asked += 1;
        if let Some((plan, asked)) = self.plans.get_mut(query) {
            *asked = self.asked;
            return Ok((Arc::clone(plan), true));
        }
        let plan =
            Arc::new(Prepared::compile_behind(text, body, &Builtin, usize::MAX, &NoInterrupt)?);
        if query.len() <= GraphTools::LONGEST {
            self.make_room();
            self.plans.insert(query.into(), (Arc::clone(&plan), self.asked));
        }
        Ok((plan, false))
    }

    /// Drops the statement that was not asked for longest, where there are too many.
    fn make_room(&mut self) {
        if self.plans.len() < PLANS {
            return;
        }
        let oldest = self.plans.iter().min_by_key(|(_, (_, asked))| *asked);
        if let Some(text) = oldest.map(|(text, _)| text.clone()) {
            self.plans.remove(&text);
        }
    }
}
