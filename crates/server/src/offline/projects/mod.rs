//! Projects of records that come from elsewhere to a running server, and go elsewhere.
//!
//! | module | what it knows |
//! | --- | --- |
//! | `hxredis` | keys of Haxall's hxRedis, in Redis |
//! | `files` | Haystack's formats, in files |
//! | `staging` | a project that is made under another name, until all of it is there |
//! | `tags`, `point` | what a record may have, and what it may have measured |
//! | `report` | damage, and what came of an import |
//! | `whole` | a project of one moment |

pub mod files;
pub mod hxredis;
mod point;
mod report;
mod staging;
mod tags;
mod whole;
