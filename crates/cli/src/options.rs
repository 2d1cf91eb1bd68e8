//! The command line, with the options of `redis-cli` that make sense for one server.

use std::io::IsTerminal as _;

use tls::client::Trust;

use crate::format::Style;
use crate::uri;

/// The address to connect to, and the user.
#[derive(Clone, Debug)]
pub struct Target {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Path of a unix socket, stronger than host and port.
    pub socket: Option<String>,
    /// User to log in as.
    pub user: Option<String>,
    /// Password to log in with.
    pub password: Option<String>,
    /// Database to select.
    pub db: i64,
    /// Protocol to ask for.
    pub protocol: Option<u8>,
    /// With TLS, and how.
    pub tls: Option<Trust>,
}

impl Target {
    /// As it is shown in prompts and messages.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.socket {
            Some(path) => path.clone(),
            None if self.host.contains(':') => format!("[{}]:{}", self.host, self.port),
            None => format!("{}:{}", self.host, self.port),
        }
    }
}

/// Everything the command line says.
#[derive(Debug)]
pub struct Options {
    /// The address to connect to, and the user.
    pub target: Target,
    /// How to print replies.
    pub style: Style,
    /// Between the elements of a raw reply.
    pub between: String,
    /// How often to run the command; `None` for ever.
    pub repeat: Option<u64>,
    /// Seconds between two runs.
    pub interval: f64,
    /// The last argument comes from the standard input.
    pub last_from_stdin: bool,
    /// This argument is replaced by the standard input.
    pub tag_from_stdin: Option<String>,
    /// The arguments are quoted as on the prompt.
    pub quoted: bool,
    /// Exit with an error when the server answers one.
    pub error_exit: bool,
    /// Print messages the server pushes.
    pub show_pushes: bool,
    /// Load commands in bulk from the standard input.
    pub pipe: bool,
    /// Seconds without a reply after which bulk loading gives up; 0 never.
    pub pipe_timeout: u64,
    /// The command, if one is given.
    pub command: Vec<String>,
}

/// What the command line asks for.
pub enum Invocation {
    /// To connect.
    Run(Box<Options>),
    /// To print a text.
    Print(String),
}

const HELP: &str = "\
Usage: kvist cli [OPTIONS] [cmd [arg [arg ...]]]

  -h <hostname>      Server hostname (default: 127.0.0.1).
  -p <port>          Server port (default: 6379).
  -s <socket>        Server socket (overrides hostname and port).
  -a <password>      Password. The environment variable KVISTCLI_AUTH (or REDISCLI_AUTH)
                     passes it more safely; this option is stronger.
  --user <username>  User to log in as. Needs -a.
  --pass <password>  The same as -a.
  -u <uri>           Server URI: redis://[user[:password]@]host[:port][/db]; rediss:// for TLS.
  -n <db>            Database number.
  -2, -3             Use RESP2 or RESP3.
  -r <repeat>        Run the command so many times; -1 for ever.
  -i <interval>      Seconds between two runs, such as 0.1.
  -x                 Take the last argument from the standard input.
  -X <tag>           Take the argument <tag> from the standard input.
  -d <delimiter>     Between the elements of raw replies (default: a line break).
  -e                 Exit with an error code when the server answers an error.
  --raw              Print replies as they are (default when the output is no terminal).
  --no-raw           Print types, numbers and quotes even when the output is no terminal.
  --csv              Print comma-separated values.
  --quoted-input     Read the arguments as quoted strings.
  --show-pushes <yn> Print pushed messages (default: when the output is a terminal).
  --pipe             Load commands in bulk from the standard input: raw protocol, or lines.
  --pipe-timeout <n> Give up after so many seconds without a reply (default: 30; 0 never).
  --tls              Connect with TLS.
  --cacert <file>    Believe the authorities in this file (default: those of the system).
  --cacertdir <dir>  Believe the authorities in the files of this directory.
  --cert <file>      Show this certificate.
  --key <file>       The key of that certificate.
  --sni <name>       The server's name, if its certificate is not for <hostname>.
  --insecure         Believe every server.
  --no-auth-warning  Don't warn about a password on the command line.
  --help, --version  Print this, or the version.

Without a command: a prompt with history and hints. When the input is no terminal, its lines are
run one after the other.
";

/// Reads the command line.
///
/// # Errors
/// What is wrong with it.
pub fn parse(args: &[String]) -> Result<Invocation, String> {
    let environment = |name| std::env::var(name).ok();
    let terminal = std::io::stdout().is_terminal();
    let mut options = Options {
        target: Target {
            host: "127.0.0.1".to_owned(),
            port: 6379,
            socket: None,
            user: None,
            password: environment("KVISTCLI_AUTH").or_else(|| environment("REDISCLI_AUTH")),
            db: 0,
            protocol: None,
            tls: None,
        },
        style: if terminal { Style::Typed } else { Style::Raw },
        between: crate::format::BETWEEN.to_owned(),
        repeat: Some(1),
        interval: 0.0,
        last_from_stdin: false,
        tag_from_stdin: None,
        quoted: false,
        error_exit: false,
        show_pushes: terminal,
        pipe: false,
        pipe_timeout: 30,
        command: Vec::new(),
    };
    let mut trust = Trust::default();
    let mut warn = false;
    let mut quiet = false;
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.starts_with('-') && arg.len() > 1) {
        let value = args.get(at + 1);
        match arg.as_str() {
            "--help" => return Ok(Invocation::Print(HELP.to_owned())),
            "-h" if value.is_none() => return Ok(Invocation::Print(HELP.to_owned())),
            "-v" | "--version" => {
                return Ok(Invocation::Print(format!("kvist-cli {}\n", env!("CARGO_PKG_VERSION"))));
            }
            "--no-auth-warning" => quiet = true,
            "--insecure" => trust.insecure = true,
            flag if switch(&mut options, flag) => {}
            flag => {
                let wrong = || format!("Unrecognized option or bad number of args for: '{flag}'");
                let value = value.ok_or_else(wrong)?;
                warn |= matches!(flag, "-a" | "--pass");
                if !trust.option(flag, value) && !setting(&mut options, flag, value, &mut warn)? {
                    return Err(wrong());
                }
                at += 1;
            }
        }
        at += 1;
    }
    // The order of the options does not matter.
    options.target.tls = options.target.tls.map(|_| trust);
    if warn && !quiet {
        eprintln!(
            "Warning: Using a password with '-a' or '-u' option on the command line interface may \
             not be safe."
        );
    }
    options.command = args[at..].to_vec();
    Ok(Invocation::Run(Box::new(options)))
}

/// Options without a value; `false` if it is none.
fn switch(options: &mut Options, flag: &str) -> bool {
    match flag {
        "-2" => options.target.protocol = Some(2),
        "-3" => options.target.protocol = Some(3),
        "-x" => options.last_from_stdin = true,
        "-e" => options.error_exit = true,
        "--raw" => options.style = Style::Raw,
        "--no-raw" => options.style = Style::Typed,
        "--csv" => options.style = Style::Csv,
        "--quoted-input" => options.quoted = true,
        "--pipe" => options.pipe = true,
        "--tls" => options.target.tls = Some(Trust::default()),
        _ => return false,
    }
    true
}

/// Options with a value; `Ok(false)` if it is none.
fn setting(
    options: &mut Options,
    flag: &str,
    value: &str,
    warn: &mut bool,
) -> Result<bool, String> {
    let number = |what: &str| format!("Invalid {what} '{value}'");
    let target = &mut options.target;
    match flag {
        "-h" => target.host = value.to_owned(),
        "-p" => target.port = value.parse().map_err(|_| number("server port"))?,
        "-s" => target.socket = Some(value.to_owned()),
        "-a" | "--pass" => target.password = Some(value.to_owned()),
        "--user" => target.user = Some(value.to_owned()),
        "-n" => target.db = value.parse().map_err(|_| number("database"))?,
        "-r" => {
            let times: i64 = value.parse().map_err(|_| number("repeat count"))?;
            options.repeat = u64::try_from(times).ok();
        }
        "-i" => options.interval = value.parse().map_err(|_| number("interval"))?,
        "-X" => options.tag_from_stdin = Some(value.to_owned()),
        "-d" => options.between = value.replace("\\n", "\n"),
        "--show-pushes" => options.show_pushes = value.starts_with(['y', 'Y']),
        "--pipe-timeout" => {
            options.pipe_timeout = value.parse().map_err(|_| number("timeout"))?;
        }
        "-u" => {
            let uri = uri::parse(value)?;
            *warn |= uri.password.is_some();
            target.user = uri.user.or(target.user.take());
            target.password = uri.password.or(target.password.take());
            target.host = uri.host.unwrap_or(std::mem::take(&mut target.host));
            target.port = uri.port.unwrap_or(target.port);
            target.db = uri.db.unwrap_or(target.db);
            if uri.tls {
                target.tls = Some(Trust::default());
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Options {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        match parse(&args) {
            Ok(Invocation::Run(options)) => *options,
            Ok(Invocation::Print(_)) => panic!("printed"),
            Err(message) => panic!("{message}"),
        }
    }

    #[test]
    fn options_end_where_the_command_begins() {
        let options = read(&["-p", "7000", "--no-raw", "-r", "-1", "set", "-x", "y"]);
        assert_eq!(options.target.port, 7000);
        assert_eq!(options.style, Style::Typed);
        assert_eq!(options.repeat, None);
        assert_eq!(options.command, ["set", "-x", "y"]);
    }

    #[test]
    fn a_uri_fills_in_what_it_says() {
        let options = read(&["-n", "2", "-u", "redis://me:secret@h:1"]);
        let target = options.target;
        assert_eq!((target.host.as_str(), target.port, target.db), ("h", 1, 2));
        assert_eq!(target.password.as_deref(), Some("secret"));
    }

    #[test]
    fn what_is_said_about_tls_counts_when_it_is_used() {
        let said = ["--cacert", "ca", "--sni", "n", "--tls", "--insecure"];
        let tls = read(&said).target.tls.unwrap();
        assert_eq!((tls.name.as_deref(), tls.ca_cert_file.as_deref()), (Some("n"), Some("ca")));
        assert!(tls.insecure);
        assert!(read(&said[..4]).target.tls.is_none());
        let tls = read(&["-u", "rediss://h", "--cert", "c"]).target.tls.unwrap();
        assert_eq!(tls.cert_file.as_deref(), Some("c"));
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in [&["--nothing", "x"][..], &["-p"], &["-p", "x"], &["-n", ""]] {
            let args: Vec<String> = bad.iter().map(|&arg| arg.to_owned()).collect();
            assert!(parse(&args).is_err(), "{bad:?}");
        }
    }
}
