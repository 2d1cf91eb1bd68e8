//! The environment variables of Memorize, so that what was started with them can be started with
//! this instead.
//!
//! They are weaker than every variable of our own, and say as much as they said there: about the
//! gRPC service and the room for data.

use crate::error::{LoadError, Source};
use crate::settings::{Rank, Settings};

/// What their names begin with.
pub(crate) const PREFIX: &str = "MEMORIZE_";

impl Settings {
    /// Takes one of them up.
    ///
    /// # Errors
    /// Its value means nothing.
    pub(crate) fn apply_memorize(
        &mut self,
        variable: String,
        text: String,
    ) -> Result<(), LoadError> {
        let (name, value) = match variable.strip_prefix(PREFIX).unwrap_or_default() {
            "HOST" => ("grpc-bind", text.clone()),
            "PORT" => ("grpc-port", text.clone()),
            "API_KEY" => ("grpc-api-key", text.clone()),
            // In megabytes; 0 is no limit there as here.
            "MAX_STORAGE_MB" => ("maxmemory", format!("{text}mb")),
            "CLEANUP_INTERVAL" => {
                let note = "keys are deleted as they expire, without an interval";
                self.notes.push(format!("{variable} in the environment has no effect: {note}"));
                return Ok(());
            }
            // What its clients are configured with.
            "SERVER_URL" => return Ok(()),
            _ => {
                self.notes.push(format!("{variable} in the environment is not known"));
                return Ok(());
            }
        };
        let source = Source::Environment { variable };
        self.assign(name, vec![value.into_bytes()], &source, Rank::OtherEnvironment)
            .map_err(|reason| LoadError::Rejected { source, text, reason })
    }
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use crate::Settings;

    fn with(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let mut settings = Settings::new(1);
        let variables = variables.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        settings.apply_env(variables).map_err(|error| error.to_string())?;
        Ok(settings)
    }

    #[test]
    fn they_say_what_they_said_there() {
        let settings = with(&[
            ("MEMORIZE_HOST", "0.0.0.0"),
            ("MEMORIZE_PORT", "6000"),
            ("MEMORIZE_API_KEY", "secret"),
            ("MEMORIZE_MAX_STORAGE_MB", "100"),
            ("MEMORIZE_CLEANUP_INTERVAL", "0"),
            ("MEMORIZE_SERVER_URL", "http://localhost"),
            ("MEMORIZE_NONSENSE", "x"),
        ]);
        let settings = settings.unwrap();
        let config = settings.config();
        assert_eq!(config.grpc.bind[0].address, "0.0.0.0");
        assert_eq!(config.network.bind[0].address, "127.0.0.1");
        assert_eq!((config.grpc.port, config.grpc.port_is_given), (6000, true));
        assert_eq!(config.grpc.api_key.as_deref(), Some(&b"secret"[..]));
        assert_eq!(config.memory.maxmemory, Some(100 << 20));
        assert_eq!(settings.warnings().len(), 2, "{:?}", settings.warnings());
    }

    #[test]
    fn our_own_are_stronger_in_any_order() {
        for order in [[0, 1], [1, 0]] {
            let both = [("MEMORIZE_PORT", "6000"), ("KVIST_GRPC_PORT", "6001")];
            let settings = with(&order.map(|at| both[at])).unwrap();
            assert_eq!(settings.config().grpc.port, 6001);
        }
    }

    #[test]
    fn what_means_nothing_is_an_error_that_names_the_variable() {
        for (name, text) in [("MEMORIZE_PORT", "x"), ("MEMORIZE_MAX_STORAGE_MB", "-1")] {
            let Err(error) = with(&[(name, text)]) else { panic!("{name}={text} was taken") };
            assert!(error.contains(name), "{error}");
        }
    }
}
