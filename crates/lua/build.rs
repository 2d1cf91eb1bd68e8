//! Compiles the interpreter, whose sources the crate `lua-src` brings. Always optimized: tests of
//! limits and of the hook run millions of its instructions, and nobody steps through it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    lua_src::Build::new().opt_level("3").build(lua_src::Lua51).print_cargo_metadata();
}
