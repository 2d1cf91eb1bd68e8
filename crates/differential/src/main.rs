//! `differential`: see `--help`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    kvist_differential::cli::main()
}
