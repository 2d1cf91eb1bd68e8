//! What bounds a project. What a client sends beyond is refused, with nothing of it done.

/// Records of a project, and places that records have had.
pub const MOST_RECORDS: usize = 1 << 28;
/// Different tags of a project.
pub const MOST_TAGS: usize = 16_384;
/// Diffs of a batch.
pub const MOST_DIFFS: usize = 1_000_000;
/// Characters of an id, and of a tag.
pub const LONGEST_NAME: usize = 60;
/// Characters of a text.
pub const LONGEST_STR: usize = 32_767;
/// Characters of a URI.
pub const LONGEST_URI: usize = 1_000;
/// How deep lists, dicts and grids nest in a value.
pub const DEEPEST: usize = 32;
/// Bytes of a value, as [`haystack::Value::memory`] counts them.
pub const LARGEST_VALUE: usize = 4 << 20;
/// Bytes of a display name; what is longer is cut.
pub const LONGEST_DISPLAY: usize = 4_096;
/// Names of other records that one display name looks at. What is beyond shows as its id.
pub const MOST_NAMES_LOOKED_AT: usize = 256;
/// Tags that the macros of one display name look at. What is beyond stays as it stands.
pub const MOST_PARTS_OF_NAME: usize = 4_096;
/// Samples of one write to a history.
pub const MOST_SAMPLES: usize = 1_000_000;
/// Samples that are put into a history at once: a write of more is several, one after another.
pub const SAMPLES_AT_ONCE: usize = 1 << 15;
/// Samples that are packed together.
pub const SAMPLES_OF_BLOCK: usize = 512;
/// Watches of a project.
pub const MOST_WATCHES: usize = 10_000;
/// Records of all its watches together.
pub const MOST_WATCHED: usize = 1_000_000;
