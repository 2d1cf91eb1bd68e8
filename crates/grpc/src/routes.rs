//! Which service a call is for, and how much of it may come.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use engine::Engine;
use engine::unauthenticated::Charge;
use hyper::body::Incoming;
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::server::NamedService;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use crate::budget::Budget;
use crate::call_memory::CallMemory;
use crate::caller::CallInfo;
use crate::generated::DESCRIPTORS;
use crate::generated::kvist::kvist_service_server::KvistServiceServer;
use crate::generated::memorize::memorize_server::MemorizeServer;
use crate::inbound::{Answered, Inbound, Meter, Rules};
use crate::peer::Peer;
use crate::shared::Shared;
use crate::{kvist, memorize, status};

/// How often it is looked whether the server serves.
const LOOK: Duration = Duration::from_millis(100);

type Memorize = MemorizeServer<memorize::Service>;
type Kvist = KvistServiceServer<kvist::Service>;
type Answer = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;
/// A service that is seldom called and has no name for its type.
type Erased = Arc<dyn Fn(Request<Inbound>) -> Answer + Send + Sync>;

/// The services.
#[derive(Clone)]
pub struct Routes {
    memorize: Memorize,
    kvist: Kvist,
    health: HealthServer<HealthService>,
    reporter: HealthReporter,
    /// By the prefix of their paths.
    reflection: Arc<[(&'static str, Erased)]>,
    inbound: Arc<Budget>,
    engine: Arc<Engine>,
}

impl Routes {
    /// All services.
    pub fn new(shared: &Arc<Shared>) -> Self {
        let most = shared.settings.max_message_size;
        let memorize = MemorizeServer::new(memorize::Service);
        let kvist = KvistServiceServer::new(kvist::Service);
        let reporter = HealthReporter::new();
        let health = HealthService::from_health_reporter(reporter.clone());
        Routes {
            memorize: memorize.max_decoding_message_size(most),
            kvist: kvist.max_decoding_message_size(most),
            health: HealthServer::new(health).max_decoding_message_size(SMALL),
            reporter,
            reflection: reflection(),
            inbound: Arc::clone(&shared.inbound),
            engine: Arc::clone(&shared.engine),
        }
    }

    /// Answers a call: authenticates it before a byte after its head is read.
    ///
    /// # Errors
    /// The credentials are wrong, or too many unauthenticated calls are open.
    pub async fn answer(
        self,
        peer: &Arc<Peer>,
        until: Option<Instant>,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Status> {
        match service_of(request.uri().path()) {
            <Memorize as NamedService>::NAME | <Kvist as NamedService>::NAME => {
                let user = peer.user(request.headers())?;
                let call = CallMemory::new(&self.engine, &peer.origin);
                let memory = call.clone();
                let answer = self.serve(CallInfo { user, until, memory }, request).await;
                Ok(answer.map(|body| Body::new(Answered::new(body, call, None))))
            }
            _ => {
                let call = peer.enter_unknown()?;
                let mut charge = (!peer.is_known()).then(|| peer.unauthenticated.charge());
                // The head is there until the message has come.
                let head = length_of(request.headers());
                if !charge.as_mut().is_none_or(|charge| charge.add(head)) {
                    return Err(status::exhausted("callers without credentials take too much"));
                }
                let memory = CallMemory::new(&self.engine, &peer.origin);
                let answer = self.serve_anybody(charge, (request, &memory)).await;
                // What is said goes on for as long as the call does.
                Ok(answer.map(|body| Body::new(Answered::new(body, memory, Some(call)))))
            }
        }
    }

    async fn serve(mut self, arrived: CallInfo, request: Request<Incoming>) -> Response<Body> {
        let many = request.uri().path() == BATCH;
        let most = arrived.user.shared.settings.max_message_size;
        let rules = self.rules(most, many);
        let meter = Meter::new(&self.inbound, arrived.memory.memory());
        let mut request = request.map(|body| Inbound::new(body, rules, meter.clone(), None));
        request.extensions_mut().insert(arrived);
        if service_of(request.uri().path()) == <Memorize as NamedService>::NAME {
            settled(self.memorize.call(request).await)
        } else {
            request.extensions_mut().insert(meter);
            settled(self.kvist.call(request).await)
        }
    }

    /// What is answered without credentials: whether the server serves, and what it speaks.
    async fn serve_anybody(
        mut self,
        charge: Option<Charge>,
        (request, memory): (Request<Incoming>, &CallMemory),
    ) -> Response<Body> {
        let service = service_of(request.uri().path()).to_owned();
        let is_health = service == HEALTH;
        let rules = self.rules(SMALL, !is_health);
        let meter = Meter::new(&self.inbound, memory.memory());
        let request = request.map(|body| Inbound::new(body, rules, meter, charge));
        if is_health {
            return settled(self.health.call(request).await);
        }
        match self.reflection.iter().find(|(name, _)| *name == service) {
            Some((_, answer)) => answer(request).await,
            None => Status::unimplemented("there is no such service").into_http(),
        }
    }

    fn rules(&self, most: usize, many: bool) -> Rules {
        Rules { most, many, time: self.engine.config().clients.callers.request_body_timeout }
    }

    /// Says whether the server serves for as long as it runs, and when users have changed.
    pub async fn follow_health(self, shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
        let names = ["", <Memorize as NamedService>::NAME, <Kvist as NamedService>::NAME];
        let mut said = None;
        let mut users = shared.engine.users.version();
        loop {
            let engine = &shared.engine;
            let version = engine.users.version();
            if std::mem::replace(&mut users, version) != version {
                shared.users_changed.notify_waiters();
            }
            let stopping = *stop.borrow() || engine.run.stopping.load(Ordering::Relaxed);
            let serves = !stopping && !engine.durability.is_loading();
            if said != Some(serves) {
                said = Some(serves);
                let status =
                    if serves { ServingStatus::Serving } else { ServingStatus::NotServing };
                for name in names {
                    self.reporter.set_service_status(name, status).await;
                }
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                _ = stop.changed() => {}
            }
            if *stop.borrow() && said == Some(false) {
                return;
            }
        }
    }
}

/// The call that has many messages with silence between them.
const BATCH: &str = "/kvist.v1.KvistService/Batch";
const HEALTH: &str = "grpc.health.v1.Health";
/// Messages of the services around, at most.
const SMALL: usize = 64 << 10;
/// Bytes that a header takes beside its name and its value.
const FIELD: usize = 100;

/// The service of a path: `/package.Service/Method`.
fn service_of(path: &str) -> &str {
    path.strip_prefix('/').and_then(|path| path.split('/').next()).unwrap_or_default()
}

/// Bytes that headers take, about.
fn length_of(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + FIELD).sum()
}

fn settled(answer: Result<Response<Body>, Infallible>) -> Response<Body> {
    match answer {
        Ok(answer) => answer,
        Err(never) => match never {},
    }
}

/// What describes the services, in both versions that tools ask for.
fn reflection() -> Arc<[(&'static str, Erased)]> {
    let described = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let mut all: Vec<(&'static str, Erased)> = Vec::new();
    // The descriptors are made by the build: they cannot be wrong here and right in a test.
    match described().build_v1() {
        Ok(service) => all.push(erased(service.max_decoding_message_size(SMALL))),
        Err(error) => tracing::error!(%error, "no reflection"),
    }
    match described().build_v1alpha() {
        Ok(service) => all.push(erased(service.max_decoding_message_size(SMALL))),
        Err(error) => tracing::error!(%error, "no reflection of the older kind"),
    }
    all.into()
}

fn erased<S>(service: S) -> (&'static str, Erased)
where
    S: Service<Request<Inbound>, Response = Response<Body>, Error = Infallible>,
    S: NamedService + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    let answer = move |request| {
        let answer = service.clone().call(request);
        let answer: Answer = Box::pin(async move { settled(answer.await) });
        answer
    };
    (S::NAME, Arc::new(answer))
}

/// How long a client waits, as it says: up to eight digits and a unit.
pub fn deadline(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(n * 3600),
        "M" => Duration::from_secs(n * 60),
        "S" => Duration::from_secs(n),
        "m" => Duration::from_millis(n),
        "u" => Duration::from_micros(n),
        "n" => Duration::from_nanos(n),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn deadlines_are_read_or_left_alone() {
        let of = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            deadline(&headers)
        };
        assert_eq!(of("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        assert_eq!(of("250m"), Some(Duration::from_millis(250)));
        assert_eq!(of("5u"), Some(Duration::from_micros(5)));
        for bad in ["", "m", "100000000m", "-1m", "1x", "1 m", "1"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }

    #[test]
    fn services_are_told_by_their_paths() {
        assert_eq!(service_of("/memorize.Memorize/Get"), "memorize.Memorize");
        assert_eq!(service_of("/"), "");
        assert_eq!(service_of("x"), "");
    }

    #[test]
    fn services_are_described() {
        let names: Vec<&str> = reflection().iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}
