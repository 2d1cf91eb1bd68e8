//! Secondary indexes of documents, for `FT.*`: which there are, and how they follow the dataset.
//!
//! ```text
//!   FT.CREATE ─► Catalog ─► a record of shard 0, a block of the snapshot (catalog_image)
//!                   │ Index: a definition, partitions with a lock each
//!   a write ─► change stream ─► Follower ─► the partition of its shard   (under the shard's lock)
//!   what was there before ─► fill: a walk over all shards, in slices
//!   FT.SEARCH ─► rows of partitions ─► load: their documents, shard by shard
//! ```
//!
//! | file | what it knows |
//! | --- | --- |
//! | `catalog` | all indexes, aliases and dictionaries, replaced as a whole by each change |
//! | `catalog_image` | the same as records and snapshots keep it |
//! | `index` | one index: its definition, its partitions, whether it is filled |
//! | `document` | hashes and JSON documents as an index reads them |
//! | `filter` | the expression that documents of an index satisfy |
//! | `follow` | how indexes follow each change |
//! | `fill` | how a new index reads the keys that are there |
//! | `cursors` | rows that are answered part by part |
//! | `load` | the documents of rows that were found |
//!
//! Lock order: shards, then partitions in ascending order. A query holds partitions only to find
//! rows, and no shard meanwhile; it loads documents when it has given the partitions back.

pub(crate) mod catalog;
pub(crate) mod catalog_image;
pub(crate) mod cursors;
pub(crate) mod document;
pub(crate) mod fill;
mod filter;
mod follow;
pub(crate) mod index;
pub(crate) mod load;

pub(crate) use catalog::Catalog;
pub(crate) use filter::Filter;
pub(crate) use index::Index;
