//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-engine --test all FILE::
//! ```

// What they share.
mod contents;
mod data_dir;
#[path = "../../journal/tests/disk/mod.rs"]
mod disk;
mod duet;
mod facts;
mod rings;
#[path = "../../model/tests/stage/mod.rs"]
mod stage;
mod tame;
mod test_client;

// The tests.
mod accounting;
mod acl;
mod acl_against_redis;
mod blocking;
mod changes;
mod command_table;
mod concurrency;
mod containment;
mod control;
mod control_against_redis;
mod cron;
mod crowd;
mod digest_against_redis;
mod documents;
mod dump_against_redis;
mod equal_to_redis;
mod eviction;
mod faults;
mod folio;
mod folio_export;
mod formats;
mod full_disks;
mod functions;
mod functions_against_redis;
mod graph_at_once;
mod graph_bulk;
mod graph_export;
mod graph_files;
mod graph_indexes;
mod graph_statements;
mod graphs;
mod hostile;
mod inline;
mod introspection;
mod json_cost;
mod json_fuzz;
mod json_notifications;
mod json_read;
mod large;
mod monitor_against_redis;
mod monitor_and_pause;
mod new_type;
mod notify;
mod notify_against_redis;
mod queries;
mod ranges;
mod redis_files_against_redis;
mod repair;
mod replay;
mod request_growth;
mod request_size;
mod scripts;
mod shares;
mod simulation;
mod slow_files;
mod tracking;
mod tracking_against_redis;
mod traps;

#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;
