//! Prints `kvist.conf`, or with the argument `markdown` the reference page.
//!
//! `cargo run -p kvist-config --example reference > kvist.conf` brings the file up to date.
#![forbid(unsafe_code)]

fn main() {
    if std::env::args().any(|arg| arg == "markdown") {
        print!("{}", kvist_config::reference_markdown());
    } else {
        print!("{}", kvist_config::reference());
    }
}
