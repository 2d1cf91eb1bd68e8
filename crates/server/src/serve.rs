//! `kvist serve`: from the command line to a running server, and back to an exit code.
//!
//! Order matters: settings, log, limits, sockets (all that can fail with a plain message), then
//! the engine, the threads, and only then "Ready to accept connections".

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Weak};
use std::time::Duration;

use config::{Config, Settings};
use engine::{Beginning, Cron, Engine};
use mio::{Poll, Waker};
use rustls::ServerConfig;

use crate::accepting::{Listener, Listening, backup_acceptor, bind};
use crate::dial;
use crate::event_loop::{self, EventLoop, EventLoopOptions, WAKER};
use crate::grpc_server::{self, GrpcServer};
use crate::http_server::{self, HttpServer, HttpSockets};
use crate::loading::{self, Loaded};
use crate::logging::{self, LevelSwitch};
use crate::process::{self, PidFile};
use crate::reconfigure;
use crate::signals;
use crate::supervisor;
use crate::workers::{Alive, Inbox, Progress, Replacements, WorkerPool};

/// What the engine may ask of the allocator.
const ALLOCATOR: engine::Allocator =
    engine::Allocator { give_back: allocator::give_back, describe: allocator::describe };

/// Runs the server with these arguments until it is told to stop.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    match serve(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("kvist: {message}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: &[String]) -> Result<(), String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (settings, config_file) = settings(args, cores)?;
    // What is wrong with the configuration is told before anything is opened.
    let table = engine::command_table_as_called(&settings)?;
    let config = settings.config();
    let levels = logging::start(config.logging.loglevel, config.logging.logfile.as_deref())?;
    greet(&config, &settings, &config_file);
    let most = process::room_for_clients(config.clients.maxclients, config.process.io_threads);
    let tell = |message: &String| {
        // Without a log file it would only be said twice.
        if config.logging.logfile.is_some() {
            tracing::error!("{message}");
        }
    };
    let context = secure(&config).inspect_err(tell)?;
    let listeners = bind::open(&config).inspect_err(tell)?;
    let sockets = HttpSockets::open(&config, &settings).inspect_err(tell)?;
    let http_context = http_server::secure(&config).inspect_err(tell)?;
    let grpc_server = grpc_server::open(&config).inspect_err(tell)?;
    let names =
        listeners.iter().map(Listener::name).chain(sockets.names()).chain(grpc_server.names());
    let names = names.collect();
    let _pid_file = PidFile::write(config.process.pidfile.as_deref());
    let seed = engine::entropy().map_err(|e| format!("no random numbers from the system: {e}"))?;
    let beginning = Beginning {
        settings,
        table,
        config_file: config_file.map(|path| path.display().to_string()).unwrap_or_default(),
        executable: std::env::current_exe().map(|p| p.display().to_string()).unwrap_or_default(),
        seed,
    };
    let engine = Engine::begin(beginning).map_err(|error| error.to_string())?;
    let opening = Opening {
        listeners,
        context,
        sockets,
        http_context,
        grpc_server,
        names,
        most,
        seed: seed[1],
        levels,
    };
    let loaded = run(&engine, opening)?;
    supervisor::tell(supervisor::STOPPING);
    // Of a dataset that is there in part nothing may be kept.
    let closed = if loaded == Loaded::Whole { engine.close() } else { Ok(()) };
    tracing::warn!("Kvist is now ready to exit, bye bye...");
    // Giving gigabytes back piece by piece would only delay the exit: the system takes all at once.
    std::mem::forget(engine);
    closed.map_err(|error| format!("the dataset could not be saved before exiting: {error}"))
}

/// What the certificates and keys amount to, if TLS is in use.
fn secure(config: &Config) -> Result<Option<Arc<ServerConfig>>, String> {
    if config.tls.port == 0 {
        return Ok(None);
    }
    let context = tls::server::context(&config.tls);
    context.map(Some).map_err(|error| format!("{error}\nFailed to configure TLS."))
}

/// What is open and known before the threads start.
struct Opening {
    listeners: Vec<Listener>,
    context: Option<Arc<ServerConfig>>,
    sockets: HttpSockets,
    http_context: Option<Arc<ServerConfig>>,
    grpc_server: grpc_server::GrpcSockets,
    names: Vec<String>,
    most: usize,
    seed: u64,
    levels: LevelSwitch,
}

/// Runs all threads until the engine is told to stop; whether the dataset was there by then.
fn run(engine: &Arc<Engine>, opening: Opening) -> Result<Loaded, String> {
    let Opening {
        listeners,
        context,
        sockets,
        http_context,
        grpc_server,
        names,
        most,
        seed,
        levels,
    } = opening;
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    let (pool, polls) = assemble(engine.run.workers, most).map_err(failed("epoll"))?;
    signals::listen(engine, &pool).map_err(failed("signals"))?;
    let cron = Cron::start(engine, ALLOCATOR).map_err(failed("cron"))?;
    let registry = polls[0].registry();
    let listening =
        Arc::new(Listening::new(listeners, context, registry, &pool).map_err(failed("listeners"))?);
    backup_acceptor::start(engine, &pool, &listening).map_err(failed("threads"))?;
    let http_server = HttpServer::start(sockets, (engine, &pool), http_context, !seed);
    let mut http_server = http_server.map_err(failed("doors"))?;
    let grpc_server = grpc_server.start(engine, &pool, !seed).map_err(failed("gRPC"))?;
    attach(engine, &pool, &listening, (&http_server, &grpc_server));
    engine.on_dial(Box::new(dial::dial));
    let mut first = Some((listening, levels));
    let (alive, ended) = Alive::new(engine, &pool);
    let broken = Arc::clone(&alive.broken);
    for (number, poll) in polls.into_iter().enumerate() {
        let options = EventLoopOptions {
            poll,
            inbox: Arc::clone(&pool.inboxes[number]),
            pool: Arc::clone(&pool),
            number,
            seed: seed.wrapping_add(number as u64),
            first: first.take(),
            alive: alive.clone(),
        };
        let event_loop = Box::new(EventLoop::new(engine, options));
        let thread = std::thread::Builder::new().name(format!("worker-{number}"));
        thread.spawn(move || event_loop::run(event_loop)).map_err(failed("threads"))?;
    }
    drop(alive);
    supervisor::tell(supervisor::LOADING);
    let loaded = loading::load(engine);
    match &loaded {
        Ok(Loaded::Whole) => {
            tracing::info!("Ready to accept connections on {}", names.join(", "));
            supervisor::tell(supervisor::READY);
        }
        Ok(Loaded::Abandoned) => {}
        Err(_) => {
            engine.run.stopping.store(true, Ordering::Release);
            pool.wake_all();
        }
    }
    wait_for(engine, &ended, cron);
    http_server.stop();
    grpc_server.stop();
    match broken.load(Ordering::Acquire) {
        true => loaded.and(Err("a worker thread ended unexpectedly; see the log".to_owned())),
        false => loaded,
    }
}

/// All workers as they know of each other, and the poller of each.
fn assemble(workers: usize, most: usize) -> std::io::Result<(Arc<WorkerPool>, Vec<Poll>)> {
    let (mut polls, mut inboxes) = (Vec::new(), Vec::new());
    for _ in 0..workers {
        let poll = Poll::new()?;
        inboxes.push(Arc::new(Inbox::new(Waker::new(poll.registry(), WAKER)?)));
        polls.push(poll);
    }
    let progress = inboxes.iter().map(|_| Progress::new()).collect::<Result<_, _>>()?;
    let (connected, most) = (AtomicUsize::new(0), AtomicUsize::new(most));
    let replacements = Replacements::default();
    Ok((Arc::new(WorkerPool { inboxes, progress, connected, most, replacements }), polls))
}

/// Connects the engine's events to the doors.
fn attach(
    engine: &Arc<Engine>,
    pool: &Arc<WorkerPool>,
    listening: &Arc<Listening>,
    (http_server, grpc_server): (&HttpServer, &GrpcServer),
) {
    engine.durability.tell_durable({
        let (pool, durable) = (Arc::clone(pool), Arc::clone(&http_server.durable));
        let grpc_server = grpc_server.shared();
        Box::new(move || {
            pool.tell_durable();
            durable.notify_waiters();
            grpc_server.upgrade().inspect(|grpc_server| grpc_server.tell_durable());
        })
    });
    engine.on_change({
        let (pool, listening) = (Arc::clone(pool), Arc::clone(listening));
        let http = http_server.http.as_ref().map(Arc::downgrade);
        let grpc_server = grpc_server.shared();
        Box::new(move |before, after, named| {
            let http = http.as_ref().and_then(Weak::upgrade);
            HttpServer::follow(http.as_ref(), after, named)?;
            grpc_server::follow(&grpc_server, after, named)?;
            reconfigure::follow(&pool, &listening, before, after, named)
        })
    });
}

/// Waits for all threads of workers to end, those among them that have handed over their loop, then
/// for the cron thread. A script that has written has some time to end, then it is ended; if it
/// cannot be, everything else has been done.
fn wait_for(engine: &Engine, ended: &Receiver<()>, cron: Cron) {
    let mut stopping = 0;
    // A thread that still loads the dataset may hold what it would wait for.
    let reading = engine.durability.is_loading();
    let mut workers_left = true;
    while workers_left || engine.has_written_scripts() {
        if workers_left {
            workers_left = matches!(ended.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout));
            stopping += u32::from(engine.run.stopping.load(Ordering::Acquire));
        } else {
            // On a thread beside a port's; what it holds, the cron thread may wait for.
            std::thread::sleep(LOOK);
            stopping += 1;
        }
        let late = LOOK * stopping > engine.patience_with_scripts();
        if stopping > LOOKS && (late || engine.is_held_up()) {
            engine.end_scripts();
        }
        if stopping > 2 * LOOKS && engine.is_held_up() {
            tracing::warn!("exiting in the middle of a script; what it wrote is not kept");
            // It may wait for what the script holds.
            std::mem::forget(cron);
            return;
        }
    }
    if reading {
        std::mem::forget(cron);
    }
}

/// How often it is looked whether the workers can end.
const LOOK: Duration = Duration::from_millis(250);
/// How often they cannot before they are left alone. They have time for last words.
const LOOKS: u32 = 6;

/// The settings: defaults, then environment, file, command line.
fn settings(args: &[String], cores: usize) -> Result<(Settings, Option<PathBuf>), String> {
    let mut settings = Settings::new(cores);
    settings.apply_env(std::env::vars()).map_err(|e| e.to_string())?;
    let (file, options) = match args.split_first() {
        Some((file, rest)) if !file.starts_with("--") => (Some(file), rest),
        _ => (None, args),
    };
    let mut config_file = None;
    match file.map(String::as_str) {
        None => {}
        Some("-") => {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut text)
                .map_err(|e| format!("standard input: {e}"))?;
            settings.apply_text(&text, "standard input").map_err(|e| e.to_string())?;
        }
        Some(path) => {
            settings.apply_file(Path::new(path)).map_err(|e| e.to_string())?;
            config_file = Some(std::path::absolute(path).map_err(|e| e.to_string())?);
        }
    }
    settings.apply_args(options).map_err(|e| e.to_string())?;
    Ok((settings, config_file))
}

fn greet(config: &Config, settings: &Settings, config_file: &Option<PathBuf>) {
    tracing::warn!(
        "Kvist {} starting: pid {}, {} worker threads",
        env!("CARGO_PKG_VERSION"),
        std::process::id(),
        config.process.io_threads
    );
    match config_file {
        Some(path) => tracing::info!("Configuration loaded from {}", path.display()),
        None => tracing::info!("No configuration file: defaults and command line only"),
    }
    if !config.persistence.appendonly && config.persistence.save.is_empty() {
        tracing::info!("The data is kept in memory only, as configured");
    }
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
}
