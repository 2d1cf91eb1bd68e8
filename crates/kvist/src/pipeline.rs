//! Many commands at once, and transactions.

use smallvec::SmallVec;
use wire::Value;

use crate::error::Error;
use crate::handle::Kvist;
use crate::reply::done;
use crate::session::Session;

/// How often a transaction begins anew because a key that it watches was changed.
const ATTEMPTS: usize = 1000;

/// Commands that run one after another.
///
/// There is no round trip to be saved inside a process; what it saves is to look for a session each
/// time, and what it gives is one place for the results.
///
/// ```
/// let db = kvist::Kvist::in_memory()?;
/// let results = db.pipeline().call(["SET", "a", "1"]).call(["INCR", "a"]).execute()?;
/// assert_eq!(results[1].as_ref().unwrap().as_i64(), Some(2));
///
/// // No client sees one of these without the other.
/// let sums = db.pipeline().call(["INCR", "a"]).call(["DECR", "b"]).atomically()?;
/// assert_eq!(sums.len(), 2);
/// # Ok::<(), kvist::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing runs before `execute` or `atomically`"]
pub struct Pipeline<'k> {
    db: &'k Kvist,
    queue: Queue,
}

/// Commands in a row: their words one behind another, and where each ends.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    bytes: Vec<u8>,
    /// Ends of words.
    words: Vec<usize>,
    /// For each command the number of words up to its end.
    commands: Vec<usize>,
}

impl Queue {
    pub fn push<I>(&mut self, words: I)
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        for word in words {
            self.bytes.extend_from_slice(word.as_ref());
            self.words.push(self.bytes.len());
        }
        self.commands.push(self.words.len());
    }

    /// Calls `act` with the words of each command.
    fn each(&self, mut act: impl FnMut(&[&[u8]]) -> Result<(), Error>) -> Result<(), Error> {
        let (mut word, mut from) = (0, 0);
        for &end in &self.commands {
            let mut argv: SmallVec<[&[u8]; 16]> = SmallVec::new();
            for &to in &self.words[word..end] {
                argv.push(&self.bytes[from..to]);
                from = to;
            }
            word = end;
            act(&argv)?;
        }
        Ok(())
    }
}

impl<'k> Pipeline<'k> {
    /// Adds a command.
    pub fn call<I>(mut self, words: I) -> Self
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.queue.push(words);
        self
    }

    /// Runs them in order. One that is refused does not keep the others from running.
    ///
    /// # Errors
    /// Those after which nothing else could run: [`Error::Closed`], [`Error::NotDurable`] …
    pub fn execute(self) -> Result<Vec<Result<Value, Error>>, Error> {
        let mut session = self.db.session()?;
        let mut results = Vec::with_capacity(self.queue.commands.len());
        self.queue.each(|argv| {
            results.push(done(session.ask(argv)?));
            Ok(())
        })?;
        Ok(results)
    }

    /// Runs them in one transaction: with no other request between, and in the journal as a whole
    /// or not at all. If one is refused before it runs (it is unknown, say) none does; one that
    /// fails while it runs is an error value among the others.
    ///
    /// # Errors
    /// Why none ran, or as [`Pipeline::execute`].
    pub fn atomically(self) -> Result<Vec<Value>, Error> {
        let mut session = self.db.session()?;
        match run(&mut session, &self.queue)? {
            Some(results) => Ok(results),
            None => Err(Error::Refused("EXECABORT nothing was watched".to_owned())),
        }
    }
}

/// Runs a queue between `MULTI` and `EXEC`; nothing if what the session watches was changed.
fn run(session: &mut Session, queue: &Queue) -> Result<Option<Vec<Value>>, Error> {
    session.call(["MULTI"])?;
    let queued = queue.each(|argv| done(session.ask(argv)?).map(drop));
    if let Err(refused) = queued {
        session.call(["DISCARD"])?;
        return Err(refused);
    }
    match session.call(["EXEC"])? {
        Value::Array(results) => Ok(Some(results)),
        _ => Ok(None),
    }
}

/// What a transaction is to do, as its function adds it.
#[derive(Debug, Default)]
pub struct Plan {
    queue: Queue,
}

impl Plan {
    /// Adds a command.
    pub fn call<I>(&mut self, words: I) -> &mut Self
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.queue.push(words);
        self
    }
}

impl Kvist {
    /// Many commands at once.
    pub fn pipeline(&self) -> Pipeline<'_> {
        Pipeline { db: self, queue: Queue::default() }
    }

    /// Reads, decides, and writes only if what was read has not changed meanwhile; else begins
    /// anew.
    /// `plan` reads through the session and adds what is to be written.
    ///
    /// ```
    /// let db = kvist::Kvist::in_memory()?;
    /// db.set("stock", 3)?;
    /// db.transaction(["stock"], |session, plan| {
    ///     let stock: i64 = session.run(["GET", "stock"])?;
    ///     if stock > 0 {
    ///         plan.call(["DECR", "stock"]).call(["RPUSH", "sold", "1"]);
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(db.get::<i64>("stock")?, Some(2));
    /// # Ok::<(), kvist::Error>(())
    /// ```
    ///
    /// # Errors
    /// What `plan` returns, or why the commands cannot run; `EXECABORT` if the keys change all the
    /// time.
    pub fn transaction<I, F>(&self, watch: I, mut plan: F) -> Result<Vec<Value>, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
        F: FnMut(&mut Session, &mut Plan) -> Result<(), Error>,
    {
        let mut watched: Vec<Vec<u8>> = vec![b"WATCH".to_vec()];
        watched.extend(watch.into_iter().map(|key| key.as_ref().to_vec()));
        let mut session = self.session()?;
        for _ in 0..ATTEMPTS {
            if watched.len() > 1 {
                session.call(&watched)?;
            }
            let mut planned = Plan::default();
            plan(&mut session, &mut planned)?;
            if let Some(results) = run(&mut session, &planned.queue)? {
                return Ok(results);
            }
        }
        Err(Error::Refused("EXECABORT the watched keys are changed all the time".to_owned()))
    }
}
