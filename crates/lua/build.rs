//! Compiles the interpreter. Always optimized: tests of limits and of the hook run millions of its
//! instructions, and nobody steps through it.

fn main() {
    println!("cargo:rerun-if-changed=c");
    let mut build = cc::Build::new();
    let sources = std::fs::read_dir("c").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut sources: Vec<_> =
        sources.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    sources.sort();
    build.include("c").files(sources).warnings(false).opt_level(3);
    build.flag_if_supported("-fno-common").flag_if_supported("-fexceptions").compile("kvistlua");
}
