//! Many requests in one buffer, encoded as they are added.

/// Requests to be sent together.
///
/// ```
/// use kvist_client::Pipeline;
///
/// let mut pipeline = Pipeline::new();
/// pipeline.add(["SET", "k", "1"]).add(["INCR", "k"]);
/// assert_eq!(pipeline.len(), 2);
/// assert!(pipeline.as_bytes().starts_with(b"*3\r\n$3\r\nSET\r\n"));
///
/// let atomic = Pipeline::atomic([["INCR", "a"], ["INCR", "b"]]);
/// assert_eq!(atomic.len(), 4, "MULTI and EXEC are requests too");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    bytes: Vec<u8>,
    len: usize,
}

impl Pipeline {
    /// No requests yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests between `MULTI` and `EXEC`. The last reply of the pipeline is the array of theirs.
    #[must_use]
    pub fn atomic<R, I>(requests: R) -> Self
    where
        R: IntoIterator<Item = I>,
        I: IntoIterator<IntoIter: ExactSizeIterator, Item: AsRef<[u8]>>,
    {
        let mut pipeline = Self::new();
        pipeline.add(["MULTI"]);
        for request in requests {
            pipeline.add(request);
        }
        pipeline.add(["EXEC"]);
        pipeline
    }

    /// Adds a request.
    pub fn add<I>(&mut self, words: I) -> &mut Self
    where
        I: IntoIterator<IntoIter: ExactSizeIterator, Item: AsRef<[u8]>>,
    {
        wire::encode(&mut self.bytes, words);
        self.len += 1;
        self
    }

    /// How many requests there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The requests as they are sent.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}
