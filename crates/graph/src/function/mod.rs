//! The scalar functions of openCypher and FalkorDB over values, as a table: how many arguments each
//! takes, of which types, and what it makes of them. The check of a query and its execution both
//! read it.
//!
//! What needs the graph is not here: `id`, `labels`, `type`, `startNode`, and `keys` and
//! `properties` of nodes and relationships. Nor is what is no function of its arguments' values:
//! `exists`, `all`, `reduce` and their like.

mod argument;
mod conversion;
mod json;
mod list;
mod math;
pub mod pattern;
mod scalar;
mod space;
pub mod string;
mod temporal;

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use crate::temporal::Clock;
use crate::value::{Error, Type, Value};

/// Asked by what goes through much whether it may go on.
pub trait Watch {
    /// Whether it may, with so many [units](Value::units) of work to come.
    fn may_go_on(&self, units: u32) -> bool;
}

/// What a function may know beside its arguments.
pub struct Context<'a> {
    /// The time of the statement.
    pub clock: &'a Clock,
    /// What is drawn next: begins with a seed that is handed in.
    pub random: Cell<u64>,
    /// The most bytes of one value that a function makes out of smaller ones.
    pub room: usize,
    /// Asked by functions that go through much, if anything is.
    pub watch: Option<Rc<dyn Watch + 'a>>,
}

/// The room of a function that is told no other: the longest string of a request.
pub const ROOM: usize = 512 << 20;

impl<'a> Context<'a> {
    /// A context with a clock and a seed.
    pub fn new(clock: &'a Clock, seed: u64) -> Context<'a> {
        Context { clock, random: Cell::new(seed), room: ROOM, watch: None }
    }

    /// Refuses to make a value of so many bytes, before it is made.
    fn check_room(&self, bytes: usize) -> Result<(), Error> {
        let message = "The result of a function would be too large";
        if bytes <= self.room { Ok(()) } else { Err(Error::out_of_range(message)) }
    }

    /// Notes work to come. What runs the statement knows why it is to end, and says that.
    fn work(&self, units: u32) -> Result<(), Error> {
        let goes_on = self.watch.as_ref().is_none_or(|watch| watch.may_go_on(units));
        if goes_on { Ok(()) } else { Err(Error::out_of_range("The statement is to end")) }
    }

    /// The next 64 bits that are drawn (SplitMix64).
    fn draw(&self) -> u64 {
        let state = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

const STRINGS: Type = Type::list_of(Type::STRING);
const INTEGERS: Type = Type::list_of(Type::INTEGER);

/// What a function computes. It is called with as many arguments as it takes.
pub type Run = fn(&Context<'_>, &[Value]) -> Result<Value, Error>;

/// A scalar function.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name, as it is written; letters of any case call it.
    pub name: &'static str,
    /// The fewest arguments.
    pub least: usize,
    /// The most arguments.
    pub most: usize,
    /// What its first argument may be: a call with one that certainly is not is refused before it
    /// runs. Where the function itself looks at its arguments' types, any are taken here.
    pub argument: Type,
    /// What its value may be, if not null.
    pub result: Type,
    /// Whether it has a value of its own where an argument is null; else that is null.
    pub sees_null: bool,
    /// Whether it has the same value for the same arguments within a statement.
    pub is_pure: bool,
    /// Whether it has a random value.
    pub draws: bool,
    run: Run,
}

impl Function {
    /// A function of so many arguments, null where one of them is.
    const fn new(
        name: &'static str,
        least: usize,
        most: usize,
        result: Type,
        run: Run,
    ) -> Function {
        let (argument, sees_null, is_pure, draws) = (Type::ANY, false, true, false);
        Function { name, least, most, argument, result, sees_null, is_pure, draws, run }
    }

    const fn takes(self, argument: Type) -> Function {
        Function { argument, ..self }
    }

    const fn sees_null(self) -> Function {
        Function { sees_null: true, ..self }
    }

    const fn draws(self) -> Function {
        Function { is_pure: false, draws: true, ..self }
    }

    const fn looks_at_the_clock(self) -> Function {
        Function { is_pure: false, ..self }
    }

    /// The function's value of these arguments.
    pub fn call(&self, context: &Context<'_>, arguments: &[Value]) -> Result<Value, Error> {
        if !(self.least..=self.most).contains(&arguments.len()) {
            let (name, least, given) = (self.name, self.least, arguments.len());
            return Err(Error::argument(format!(
                "Received {given} arguments to function '{name}', expected at least {least}"
            )));
        }
        if !self.sees_null && arguments.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        (self.run)(context, arguments)?.checked()
    }
}

/// All functions, by what they are about.
pub fn all() -> impl Iterator<Item = &'static Function> {
    let families = [
        math::FUNCTIONS,
        string::FUNCTIONS,
        list::FUNCTIONS,
        conversion::FUNCTIONS,
        scalar::FUNCTIONS,
        space::FUNCTIONS,
        temporal::FUNCTIONS,
    ];
    families.into_iter().flatten()
}

/// The functions by their names in lower case.
static BY_NAME: LazyLock<HashMap<String, &'static Function>> = LazyLock::new(|| {
    all().map(|function| (function.name.to_ascii_lowercase(), function)).collect()
});

/// The function of a name, in letters of any case.
pub fn named(name: &str) -> Option<&'static Function> {
    BY_NAME.get(&name.to_ascii_lowercase()).copied()
}
