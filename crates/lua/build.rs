//! Compiles the interpreter, whose sources the crate `lua-src` brings. Always optimized: tests of
//! limits and of the hook run millions of its instructions, and no debugger steps through it.
//!
//! One of its object files is left out: `src/strings.rs` takes its place. So no program has that
//! table of strings, and none can be linked without ours.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The library without that file.
const NAME: &str = "kvist_lua5.1";
/// How the names of `lstring.c`'s object files end: a hash of where it was goes before.
const REPLACED: &str = "-lstring.o";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let built = folder.join("lib");
    // Objects of an earlier build would be taken for this one's.
    if let Err(error) = fs::remove_dir_all(&built) {
        assert!(error.kind() == io::ErrorKind::NotFound, "{}: {error}", built.display());
    }
    lua_src::Build::new().opt_level("3").build(lua_src::Lua51);
    let (replaced, kept): (Vec<_>, Vec<_>) =
        objects(&built).into_iter().partition(|path| path.to_string_lossy().ends_with(REPLACED));
    assert!(replaced.len() == 1 && !kept.is_empty(), "what is to be replaced: {replaced:?}");
    cc::Build::new().objects(kept).compile(NAME);
}

/// The object files in a folder, in the order of their names.
fn objects(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("lua-src keeps its objects beside its library");
    let paths = entries.map(|entry| entry.expect("a folder that can be read").path());
    let mut objects: Vec<_> =
        paths.filter(|path| path.extension() == Some(OsStr::new("o"))).collect();
    objects.sort();
    objects
}
