//! Which service a call is for, and how much of it may come.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::sync::watch;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::server::NamedService;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use crate::budget::{Budget, Share};
use crate::generated::DESCRIPTORS;
use crate::generated::kvist::kvist_service_server::KvistServiceServer;
use crate::generated::memorize::memorize_server::MemorizeServer;
use crate::house::House;
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
}

impl Routes {
    /// All services of a house.
    pub fn new(house: &Arc<House>) -> Self {
        let most = house.settings.max_message_size;
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
            inbound: Arc::clone(&house.inbound),
        }
    }

    /// Answers a call.
    pub async fn answer(mut self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let inbound =
            Inbound { body, meter: Meter(Arc::new(Mutex::new(Share::of(&self.inbound)))) };
        let mut request = Request::from_parts(parts, inbound);
        let service = service_of(request.uri().path());
        match service {
            <Memorize as NamedService>::NAME => settled(self.memorize.call(request).await),
            <Kvist as NamedService>::NAME => {
                let meter = request.body().meter.clone();
                request.extensions_mut().insert(meter);
                settled(self.kvist.call(request).await)
            }
            "grpc.health.v1.Health" => settled(self.health.call(request).await),
            _ => match self.reflection.iter().find(|(name, _)| *name == service) {
                Some((_, answer)) => answer(request).await,
                None => Status::unimplemented("there is no such service").into_http(),
            },
        }
    }

    /// Says whether the server serves for as long as it runs.
    pub async fn follow_health(self, house: Arc<House>, mut stop: watch::Receiver<bool>) {
        let names = ["", <Memorize as NamedService>::NAME, <Kvist as NamedService>::NAME];
        let mut said = None;
        loop {
            let engine = &house.engine;
            let stopping = *stop.borrow() || engine.stopping.load(Ordering::Relaxed);
            let serves = !stopping && !engine.durable.is_loading();
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

/// Messages of the services around, at most.
const SMALL: usize = 64 << 10;

/// The service of a path: `/package.Service/Method`.
fn service_of(path: &str) -> &str {
    path.strip_prefix('/').and_then(|path| path.split('/').next()).unwrap_or_default()
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

/// How much of a call has come and not been taken; shared with whoever takes it.
#[derive(Clone)]
pub struct Meter(Arc<Mutex<Share>>);

impl Meter {
    /// All that has come was taken.
    pub fn clear(&self) {
        self.0.lock().clear();
    }
}

/// What comes of a call, counted: what all calls together leave half said has a limit.
pub struct Inbound {
    body: Incoming,
    meter: Meter,
}

impl hyper::body::Body for Inbound {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let counted = frame.map(|frame| {
            let frame = frame.map_err(|error| Status::from_error(Box::new(error)))?;
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            if self.meter.0.lock().take(bytes) {
                Ok(frame)
            } else {
                Err(status::exhausted("too much is on its way to the server: try again"))
            }
        });
        Poll::Ready(counted)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
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
