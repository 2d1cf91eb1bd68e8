//! The arguments of the verbs that work on a data directory.

use std::path::Path;

use config::Settings;

/// The arguments of such a verb.
pub struct Arguments {
    /// What comes before the directives, without hyphens.
    pub plain: Vec<String>,
    /// Flags of the verb's own that were given.
    pub flags: Vec<&'static str>,
    /// Defaults, environment, directives.
    pub settings: Settings,
}

impl Arguments {
    /// Takes the arguments apart: words, flags out of `known`, directives. A configuration file may
    /// be named with `--config FILE`.
    ///
    /// # Errors
    /// A directive that is none, or whose value makes no sense.
    pub fn parse(args: &[String], known: &[&'static str]) -> Result<Self, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut settings = Settings::new(cores);
        settings.apply_env(std::env::vars()).map_err(|error| error.to_string())?;
        let (mut plain, mut flags, mut directives) = (Vec::new(), Vec::new(), Vec::new());
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if let Some(flag) = known.iter().find(|flag| arg == *flag) {
                flags.push(*flag);
            } else if arg == "--config" {
                let file = args.next().ok_or("--config needs a file")?;
                settings.apply_file(Path::new(file)).map_err(|error| error.to_string())?;
            } else if arg.starts_with("--") || !directives.is_empty() {
                directives.push(arg.clone());
            } else {
                plain.push(arg.clone());
            }
        }
        // A directive's values end where the next begins, so words must come first; `--dir DIR`
        // alone is so common that a word may follow it.
        if plain.is_empty() && directives.len() > 2 && directives[0] == "--dir" {
            let words = directives[2..].iter().take_while(|word| !word.starts_with("--")).count();
            plain.extend(directives.drain(2..2 + words));
        }
        settings.apply_args(&directives).map_err(|error| error.to_string())?;
        Ok(Arguments { plain, flags, settings })
    }

    /// Whether a flag was given.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}
