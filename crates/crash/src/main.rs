//! `crash`: see `--help`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    kvist_crash::cli::main()
}
