//! Makes Rust of the `.proto` files.
//!
//! At build time rather than into the repository: the files under `proto/` are the one place where
//! the protocol is said, and nothing can be out of step with them. The compiler is a crate, so that
//! building needs no `protoc`.

use std::error::Error;
use std::path::{Path, PathBuf};

/// What is compiled, below `proto/`.
const FILES: [&str; 2] = ["memorize/memorize.proto", "kvist/v1/kvist.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    for file in FILES {
        println!("cargo::rerun-if-changed={}", proto.join(file).display());
    }
    let mut compiler = protox::Compiler::new([&proto])?;
    compiler.include_source_info(true).include_imports(true).open_files(FILES)?;
    // For reflection, and so without the comments.
    let described = compiler.file_descriptor_set();
    let mut compiler = protox::Compiler::new([&proto])?;
    compiler.include_source_info(false).include_imports(true).open_files(FILES)?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), compiler.encode_file_descriptor_set())?;
    // The clients are for `kvist-bench` and tests, over connections of their own.
    let configured = tonic_prost_build::configure()
        .build_transport(false)
        .bytes(".")
        // It can be bytes already.
        .extern_path(".kvist.v1.ExecuteResponse", "crate::execute_response::ExecuteResponse")
        .codec_path("crate::codec::Small");
    configured.compile_fds(described)?;
    Ok(())
}
