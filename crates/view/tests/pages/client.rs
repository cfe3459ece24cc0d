//! Sessions behind servers, and clients that speak as a page does.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gradbody_model::import::{ImportOptions, load};
use gradbody_sim::{State, StepOptions};
use gradbody_view::{Content, Load, Loaded, Server, Session, SessionOptions, Stop, Subject};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};

/// How long a test waits for something [s].
const PATIENCE: Duration = Duration::from_secs(20);

/// A model of this repository.
pub(crate) fn model_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// A simulation of a model file at rest, or at its first keyframe.
pub(crate) fn subject(file: &Path) -> Result<Subject, String> {
    let model = load(file, &ImportOptions::default()).map_err(|e| e.to_string())?.model;
    let start = match model.topology.keyframes.first() {
        Some(key) => State::from_keyframe(&model, key),
        None => State::neutral(&model),
    };
    let options = StepOptions::new(model.topology.timestep.unwrap_or(1e-3));
    let control = vec![0.0; model.topology.actuators.len()];
    let tau = vec![0.0; model.nv()];
    Ok(Subject { model, start, control, tau, options })
}

/// A server with a session, on a free port. It ends when this is dropped.
pub(crate) struct Served {
    pub(crate) address: String,
    pub(crate) port: u16,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub(crate) fn file(file: &Path, playing: bool, worlds: usize) -> Self {
        let file = file.to_owned();
        let load: Load = Box::new(move || {
            let files = vec![file.clone()];
            Ok(Loaded { subject: subject(&file)?, files, notes: vec!["a note".into()] })
        });
        let session = Session::start(load, SessionOptions { worlds, playing }).expect("a session");
        let server = Server::open(Content::Live(session), None).expect("a server");
        let address = server.address();
        let stop = server.stopper();
        let port = address["http://127.0.0.1:".len()..].split('/').next().expect("a port");
        let port = port.parse().expect("a number");
        let thread = std::thread::spawn(move || server.run().expect("served"));
        Served { address, port, stop, thread: Some(thread) }
    }

    pub(crate) fn token(&self) -> &str {
        self.address.split("token=").nth(1).expect("a token")
    }

    /// The status and the body of an answer.
    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let host = format!("127.0.0.1:{}", self.port);
        let host = headers.iter().find(|(name, _)| *name == "Host").map_or(&*host, |(_, h)| h);
        let mut text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        for (name, value) in headers.iter().filter(|(name, _)| *name != "Host") {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{text}\r\n").as_bytes()).expect("asked");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("answered");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.expect("a status"), body.to_owned())
    }

    pub(crate) fn page(&self) -> Page {
        Page::connect(self.port, self.token(), None).expect("a page")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("ended well");
        }
    }
}

/// A client.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
    pub(crate) scene: Value,
    pub(crate) settings: Value,
    pub(crate) frame: Frame,
    /// What was said before the connection was closed.
    pub(crate) refused: Option<String>,
    /// Whether it takes frames.
    pub(crate) takes: bool,
}

/// The header of a frame, and its arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) worlds: usize,
    pub(crate) bodies: usize,
    pub(crate) flags: u32,
    pub(crate) time: f64,
    pub(crate) energy: f64,
    /// First and last time of the history.
    pub(crate) history: [f64; 2],
    pub(crate) poses: Vec<f32>,
    pub(crate) contacts: Vec<[f32; 8]>,
    pub(crate) channels: Vec<f32>,
    pub(crate) drag: Vec<f32>,
}

impl Frame {
    fn decode(bytes: &[u8]) -> Self {
        let word = |k: usize| u32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().expect("4"));
        let double = |k: usize| f64::from_le_bytes(bytes[k..k + 8].try_into().expect("8"));
        assert_eq!(word(0), 0x4742_5631);
        let [worlds, bodies, contacts, channels, q, u] =
            [1, 2, 3, 4, 6, 7].map(|k| word(k) as usize);
        let floats: Vec<f32> = (18..bytes.len() / 4).map(|k| f32::from_bits(word(k))).collect();
        let (poses, rest) = floats.split_at(worlds * bodies * 7);
        let (points, rest) = rest.split_at(8 * contacts);
        let (channels, rest) = rest.split_at(channels);
        let drag = &rest[q + u..];
        assert_eq!(drag.len(), 8);
        Frame {
            worlds,
            bodies,
            flags: word(5),
            time: double(32),
            energy: double(48),
            history: [double(56), double(64)],
            poses: poses.to_vec(),
            contacts: points.chunks(8).map(|c| c.try_into().expect("8")).collect(),
            channels: channels.to_vec(),
            drag: drag.to_vec(),
        }
    }
}

impl Page {
    pub(crate) fn connect(port: u16, token: &str, origin: Option<&str>) -> Result<Self, String> {
        let mut page = Page::open(port, token, origin)?;
        page.until(|page| page.frame.bodies > 0);
        Ok(page)
    }

    fn open(port: u16, token: &str, origin: Option<&str>) -> Result<Self, String> {
        let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|e| e.to_string())?;
        let address = format!("ws://127.0.0.1:{port}/ws?token={token}");
        let mut request = address.into_client_request().expect("a request");
        if let Some(origin) = origin {
            let origin = HeaderValue::from_str(origin).expect("a header");
            request.headers_mut().insert("Origin", origin);
        }
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let (socket, _) = tungstenite::client(request, stream).map_err(|e| e.to_string())?;
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(20))).expect("set");
        Ok(Page {
            socket,
            scene: Value::Null,
            settings: Value::Null,
            frame: Frame::default(),
            refused: None,
            takes: true,
        })
    }

    /// One that never takes a frame.
    pub(crate) fn connect_slow(port: u16, token: &str) -> Self {
        let mut page = Page::open(port, token, None).expect("a page");
        page.takes = false;
        page
    }

    pub(crate) fn send(&mut self, request: &str) {
        self.try_send(request).expect("sent");
    }

    pub(crate) fn try_send(&mut self, request: &str) -> Result<(), tungstenite::Error> {
        self.socket.send(Message::text(request))
    }

    /// Takes a message, if one comes. Returns false once the connection is closed.
    pub(crate) fn listen(&mut self) -> bool {
        match self.socket.read() {
            Ok(Message::Text(text)) => {
                let value: Value = serde_json::from_str(&text).expect("JSON");
                for (key, value) in value.as_object().expect("an object") {
                    match key.as_str() {
                        "scene" => self.scene = value.clone(),
                        "settings" => self.settings = value.clone(),
                        "refused" => self.refused = value.as_str().map(str::to_owned),
                        other => panic!("{other}"),
                    }
                }
            }
            Ok(Message::Binary(bytes)) => {
                assert!(!self.scene.is_null() && !self.settings.is_null(), "frames come last");
                self.frame = Frame::decode(&bytes);
                if self.takes {
                    self.send(r#"{"taken":1}"#);
                }
            }
            Ok(Message::Close(_)) => return false,
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) => {}
            Err(_) => return false,
        }
        true
    }

    /// Waits for something.
    pub(crate) fn until(&mut self, done: impl Fn(&Page) -> bool) {
        let begin = Instant::now();
        while !done(self) {
            assert!(self.listen(), "closed: {:?}", self.refused);
            assert!(begin.elapsed() < PATIENCE, "waited too long; settings: {}", self.settings);
        }
    }

    /// Waits until the connection is closed.
    pub(crate) fn until_closed(&mut self) {
        let begin = Instant::now();
        while self.listen() {
            assert!(begin.elapsed() < PATIENCE, "not closed");
        }
    }

    pub(crate) fn error(&self) -> &str {
        self.settings["error"].as_str().unwrap_or("")
    }

    /// The value of a channel in the last frame.
    pub(crate) fn channel(&self, name: &str) -> f64 {
        let channels = self.settings["channels"].as_array().expect("channels");
        let place = channels.iter().position(|c| c["name"] == name).expect("a channel");
        f64::from(self.frame.channels[place])
    }
}
