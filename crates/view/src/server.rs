//! A server on the loopback address for the pages of one session or recording.
//!
//! Whoever does not know the token in the address gets nothing; nor does a page of another origin, or a name that an
//! attacker has made to mean this machine. Nothing is read from disk and nothing is fetched.

use std::future::IntoFuture as _;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, RawQuery, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::page;
use crate::protocol::{FRAMES_ON_THE_WAY, LONGEST_MESSAGE, Request};
use crate::session::Session;
use crate::shown::{Shown, text};

/// The first port that is tried.
const FIRST_PORT: u16 = 8470;
/// Number of ports that are tried.
const PORTS: u16 = 64;
/// The longest video that a page may send [bytes].
const LONGEST_FILM: usize = 1 << 30;
/// Time that connections have to end.
const GRACE: Duration = Duration::from_millis(300);
/// Bytes of randomness in the token.
const TOKEN: usize = 16;
/// Reasons to close a connection, by the numbers of RFC 6455.
const NOT_UNDERSTOOD: u16 = 1007;
const TOO_BIG: u16 = 1009;

/// Why there is no server.
#[derive(Debug)]
pub enum ServerError {
    /// The port that was asked for is taken.
    PortTaken(u16),
    /// All ports that were tried are taken.
    AllTaken(u16, u16),
    /// Something else.
    Other(io::Error),
}

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerError::PortTaken(port) => {
                write!(
                    f,
                    "port {port} is taken; choose another one, or none to take the next free one"
                )
            }
            ServerError::AllTaken(first, last) => {
                write!(f, "all ports from {first} to {last} are taken; choose another one")
            }
            ServerError::Other(error) => write!(f, "no server for the page: {error}"),
        }
    }
}

impl std::error::Error for ServerError {}

/// What the pages show.
#[derive(Debug)]
pub enum Content {
    /// A live simulation.
    Live(Session),
    /// A page that needs no messages.
    Saved(String),
    /// A page that makes a video of itself, and where that goes: its bytes, or why there is none.
    Film(String, mpsc::Sender<Result<Vec<u8>, String>>),
}

/// What handlers need.
#[derive(Debug)]
struct Shared {
    token: String,
    /// The page, and the way to the session if there is one.
    page: String,
    live: Option<Live>,
    films: Option<mpsc::Sender<Result<Vec<u8>, String>>>,
    ended: watch::Receiver<bool>,
}

#[derive(Clone, Debug)]
struct Live {
    requests: mpsc::Sender<Request>,
    shown: watch::Receiver<Shown>,
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: std::net::TcpListener,
    port: u16,
    token: String,
    content: Content,
    stop: Stop,
}

/// Ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Ends it.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Takes a port: the one given, else the first free one of a few.
    pub fn open(content: Content, port: Option<u16>) -> Result<Self, ServerError> {
        let listener = match port {
            Some(port) => listen(port).map_err(|error| match error.kind() {
                io::ErrorKind::AddrInUse => ServerError::PortTaken(port),
                _ => ServerError::Other(error),
            })?,
            None => first_free()?,
        };
        listener.set_nonblocking(true).map_err(ServerError::Other)?;
        let port = listener.local_addr().map_err(ServerError::Other)?.port();
        let token = token().map_err(ServerError::Other)?;
        Ok(Server { listener, port, token, content, stop: Stop(watch::channel(false).0) })
    }

    /// The address at which the page of [`Content::Film`] makes its video.
    pub fn film_address(&self, width: u32, height: u32, rate: u32) -> String {
        let (address, token) = (self.address(), &self.token);
        format!(
            "{address}&video&width={width}&height={height}&fps={rate}&post=%2Fvideo%3Ftoken%3D{token}"
        )
    }

    /// What ends it.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// The address of the page, with its token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Serves until it is stopped. Blocks.
    pub fn run(self) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServerError::Other)?;
        let Server { listener, token, content, stop, .. } = self;
        let ended = stop.0.subscribe();
        let mut end = ended.clone();
        let mut films = None;
        let (page, live, session) = match content {
            Content::Live(session) => {
                let page = page::live(&session.name, &token);
                let Session { requests, shown, .. } = &session;
                let live = Live { requests: requests.clone(), shown: shown.clone() };
                (page, Some(live), Some(session))
            }
            Content::Saved(page) => (page, None, None),
            Content::Film(page, to) => {
                films = Some(to);
                (page, None, None)
            }
        };
        let app = app(Shared { token, page, live, films, ended: ended.clone() });
        let served = runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            let mut over = ended.clone();
            let serving = axum::serve(listener, app)
                .with_graceful_shutdown(async move { until(&mut over).await })
                .into_future();
            tokio::select! {
                served = serving => served,
                // A client that never finishes its request does not keep the server.
                () = async { until(&mut end).await; tokio::time::sleep(GRACE).await } => Ok(()),
            }
        });
        runtime.shutdown_timeout(GRACE);
        if let Some(session) = session {
            session.join();
        }
        served.map_err(ServerError::Other)
    }
}

fn app(shared: Shared) -> Router {
    let shared = Arc::new(shared);
    Router::new()
        .route("/", get(send_page))
        .route("/ws", get(connect))
        .route("/video", post(take_film).layer(DefaultBodyLimit::max(LONGEST_FILM)))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

fn listen(port: u16) -> io::Result<std::net::TcpListener> {
    std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

fn first_free() -> Result<std::net::TcpListener, ServerError> {
    let last = FIRST_PORT + PORTS - 1;
    for port in FIRST_PORT..=last {
        match listen(port) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(ServerError::Other(error)),
        }
    }
    Err(ServerError::AllTaken(FIRST_PORT, last))
}

fn token() -> io::Result<String> {
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Lets through who knows the token, from this machine by its own name, and from a page of this server.
async fn guard(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    request: HttpRequest,
    next: Next,
) -> Response {
    let refuse = |why: &'static str| (StatusCode::FORBIDDEN, why).into_response();
    let headers = request.headers();
    let Some(host) = text_of(headers, &header::HOST).filter(|host| is_loopback(host)) else {
        return refuse("this server answers only to 127.0.0.1 and localhost\n");
    };
    if let Some(origin) = headers.get(header::ORIGIN)
        && origin.as_bytes() != format!("http://{host}").as_bytes()
    {
        return refuse("this page is of another origin\n");
    }
    let given = query.as_deref().unwrap_or("").split('&').find_map(|x| x.strip_prefix("token="));
    if !given.is_some_and(|given| same(given, &shared.token)) {
        return refuse("the address lacks its token; copy the whole of it\n");
    }
    let mut response = next.run(request).await;
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, page::POLICY),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether a host is this machine by an address that no one else can give away; the port may be that of a tunnel.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

/// Compares in a time that does not say how much is right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

async fn send_page(State(shared): State<Arc<Shared>>) -> Html<String> {
    Html(shared.page.clone())
}

/// Takes the video of a page that was asked for one, or the reason why there is none.
async fn take_film(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let Some(films) = &shared.films else { return StatusCode::NOT_FOUND };
    let film = match text_of(&headers, &header::CONTENT_TYPE) {
        Some(kind) if kind.starts_with("video/") => Ok(body.to_vec()),
        _ => Err(String::from_utf8_lossy(&body).into_owned()),
    };
    match films.send(film) {
        Ok(()) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::GONE,
    }
}

async fn connect(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(live) = shared.live.clone() else { return StatusCode::NOT_FOUND.into_response() };
    let ended = shared.ended.clone();
    upgrade
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .on_upgrade(move |socket| talk(socket, live, ended))
}

/// What a page was sent so far.
#[derive(Default)]
struct Sent {
    scene: u64,
    settings: u64,
    frame: u64,
    /// Frames that the page has not taken.
    on_the_way: usize,
}

/// Serves one page until it leaves, misbehaves, or the server ends.
async fn talk(mut socket: WebSocket, live: Live, mut ended: watch::Receiver<bool>) {
    let Live { requests, mut shown } = live;
    let mut sent = Sent::default();
    let mut holds = false;
    shown.mark_changed();
    loop {
        let keep = tokio::select! {
            changed = shown.changed() => match changed {
                Ok(()) => {
                    let latest = shown.borrow_and_update().clone();
                    send_latest(&mut socket, &latest, &mut sent).await
                }
                Err(_) => false,
            },
            message = socket.recv() => match receive(message, &mut socket).await {
                Received::Request(Request::Taken(_)) => {
                    sent.on_the_way = sent.on_the_way.saturating_sub(1);
                    let latest = shown.borrow().clone();
                    send_latest(&mut socket, &latest, &mut sent).await
                }
                Received::Request(request) => {
                    holds = match request {
                        Request::Drag(_) => true,
                        Request::Release(_) => false,
                        _ => holds,
                    };
                    requests.send(request).is_ok()
                }
                Received::Nothing => true,
                Received::End => false,
            },
            () = until(&mut ended) => false,
        };
        if !keep {
            break;
        }
    }
    if holds {
        // A page that is gone holds nothing.
        let _ = requests.send(Request::Release(true));
    }
    let _ = socket.send(Message::Close(None)).await;
}

/// Waits until the server ends.
async fn until(ended: &mut watch::Receiver<bool>) {
    // An error means that the server is gone.
    let _ = ended.wait_for(|ended| *ended).await;
}

/// Sends what is new. Returns false if the page is gone.
async fn send_latest(socket: &mut WebSocket, latest: &Shown, sent: &mut Sent) -> bool {
    if latest.scene.0 > sent.scene {
        sent.scene = latest.scene.0;
        if socket.send(Message::Text(latest.scene.1.clone())).await.is_err() {
            return false;
        }
    }
    if latest.settings.0 > sent.settings {
        sent.settings = latest.settings.0;
        if socket.send(Message::Text(latest.settings.1.clone())).await.is_err() {
            return false;
        }
    }
    if latest.frame.0 > sent.frame && sent.on_the_way < FRAMES_ON_THE_WAY {
        sent.frame = latest.frame.0;
        sent.on_the_way += 1;
        if socket.send(Message::Binary(latest.frame.1.clone())).await.is_err() {
            return false;
        }
    }
    true
}

enum Received {
    Request(Request),
    Nothing,
    End,
}

/// Understands a message, or refuses it and says why.
async fn receive(
    message: Option<Result<Message, axum::Error>>,
    socket: &mut WebSocket,
) -> Received {
    let message = match message {
        Some(Ok(message)) => message,
        Some(Err(error)) => {
            if error.to_string().contains("too long") {
                let why = format!("a message has more than {LONGEST_MESSAGE} bytes");
                refuse(socket, TOO_BIG, &why).await;
            }
            return Received::End;
        }
        None => return Received::End,
    };
    let request = match &message {
        Message::Text(text) => text.as_str(),
        Message::Binary(_) => {
            refuse(socket, NOT_UNDERSTOOD, "requests are texts").await;
            return Received::End;
        }
        Message::Close(_) => return Received::End,
        Message::Ping(_) | Message::Pong(_) => return Received::Nothing,
    };
    match serde_json::from_str::<Request>(request) {
        Ok(request) => Received::Request(request),
        Err(error) if error.is_data() => Received::Request(Request::Unknown(error.to_string())),
        Err(error) => {
            refuse(socket, NOT_UNDERSTOOD, &format!("a message is not JSON: {error}")).await;
            Received::End
        }
    }
}

/// Says why, and closes.
async fn refuse(socket: &mut WebSocket, code: u16, why: &str) {
    let _ = socket.send(Message::Text(text("refused", &why))).await;
    // The reason of a close frame has at most 123 bytes.
    let reason: String = why.chars().take(100).collect();
    let close = CloseFrame { code, reason: reason.into() };
    let _ = socket.send(Message::Close(Some(close))).await;
}
