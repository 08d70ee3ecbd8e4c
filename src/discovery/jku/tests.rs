use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::auth::{Credentials, Header};
use crate::binding::Outgoing;
use crate::transport::Dialing;
use crate::transport::http::Settings;
use crate::transport::memory::{Memory, Reply};
use crate::transport::network::{Head, Transport};
use crate::transport::raw::Duplex;

fn signed(jku: &str) -> Value {
    let header = URL_SAFE_NO_PAD.encode(json!({ "alg": "ES256", "kid": "a", "jku": jku }).to_string());
    json!({ "signatures": [{ "protected": header, "signature": "" }] })
}

fn found(jku: &str, allowed: &[&str]) -> usize {
    places(&signed(jku), &allowed.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).len()
}

#[test]
fn keys_are_fetched_from_hosts_alone_that_are_allowed() {
    let jku = "https://keys.example/jwks.json";
    assert_eq!([found(jku, &[]), found(jku, &["other.example"]), found(jku, &["keys.example"])], [0, 0, 1]);
    assert_eq!([found(jku, &["KEYS.example:443"]), found(jku, &["keys.example:8443"])], [1, 0]);
    assert_eq!(found("https://keys.example@other.example/", &["keys.example"]), 0);
    assert_eq!(found("https://keys.example:pw@keys.example/", &["keys.example"]), 0);
    assert_eq!(found("http://169.254.169.254/latest", &["keys.example"]), 0);
    assert_eq!(found("file:///etc/passwd", &["keys.example"]), 0);
}

/// As many places are asked as the limit says, whatever a card names.
#[test]
fn a_card_has_keys_fetched_from_few_places() {
    let all: Vec<Value> = (0..2 * MOST_PLACES)
        .map(|number| signed(&format!("https://keys.example/{number}"))["signatures"][0].clone())
        .collect();
    let found = places(&json!({ "signatures": all }), &["keys.example".to_owned()]);
    let expected: Vec<String> = (0..MOST_PLACES).map(|number| format!("https://keys.example/{number}")).collect();
    assert_eq!(found.iter().map(Url::to_string).collect::<Vec<_>>(), expected);
}

const LIMIT: Duration = Duration::from_secs(10);

fn settings() -> Settings {
    Settings { credentials: Credentials::default(), timeout: LIMIT }
}

/// A set with one key, of so many bytes at least.
fn jwks(bytes: usize) -> Value {
    let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
    json!({ "keys": [key], "more": "a".repeat(bytes) })
}

/// What comes of keys at a place that answers like this.
async fn fetched(url: &str, reply: Reply) -> Result<Keys, JkuError> {
    let http = Http::over(Arc::new(Memory::new(move |_| reply.clone())), settings());
    fetch(&http, &Url::parse(url).unwrap(), nowhere).await
}

fn nowhere(_: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
    async { Err(io::ErrorKind::NotFound.into()) }.boxed()
}

fn private(_: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
    async { Ok(["93.184.216.34", "::ffff:169.254.169.254"].map(|text| text.parse().unwrap()).to_vec()) }.boxed()
}

fn routed(_: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
    async { Ok(["93.184.216.34", "2606:2800:220:1::1"].map(|text| text.parse().unwrap()).to_vec()) }.boxed()
}

#[tokio::test(start_paused = true)]
async fn what_comes_is_bounded_in_size_and_time() {
    let here = "http://127.0.0.1:1/jwks.json";
    let of = |bytes| fetched(here, Reply::json(200, &jwks(bytes)));
    assert!(of(0).await.is_ok_and(|keys| !keys.is_empty()));
    let spare = MOST_BYTES - jwks(0).to_string().len();
    assert!(of(spare).await.is_ok_and(|keys| !keys.is_empty()));
    assert_eq!(of(spare + 1).await, Err(JkuError::TooLarge));
    // More than is read of any body.
    let much = vec![(Duration::ZERO, Bytes::from(vec![b' '; 1 << 20])); 8];
    let endless = Reply { pieces: much, ended: None, ..Reply::json(200, &Value::Null) };
    assert_eq!(fetched(here, endless).await, Err(JkuError::TooLarge));

    let slow = Err(JkuError::Failed(Ended::TimedOut(LIMIT).to_string()));
    assert_eq!(fetched(here, Reply::silence()).await, slow);
    // Each piece comes in time, but not all of them.
    let pace = LIMIT / 2;
    let drops = vec![(pace, Bytes::from_static(b" ")); 64];
    let began = tokio::time::Instant::now();
    assert_eq!(fetched(here, Reply { pieces: drops, ..Reply::json(200, &Value::Null) }).await, slow);
    assert_eq!(began.elapsed(), LIMIT);
}

#[tokio::test(start_paused = true)]
async fn what_are_no_keys_is_said() {
    let here = "http://localhost:1/jwks.json";
    for (status, expected) in [(404, JkuError::Status(404)), (302, JkuError::Status(302)), (204, JkuError::Status(204))]
    {
        assert_eq!(fetched(here, Reply::json(status, &jwks(0))).await, Err(expected));
    }
    let broken = fetched(here, Reply::json(200, &json!({ "keys": [] }))).await;
    assert!(matches!(broken, Err(JkuError::Keys(_))), "{broken:?}");
    assert!(matches!(fetched(here, Reply::refused()).await, Err(JkuError::Failed(_))));
    let keys = || Reply::json(200, &jwks(0));
    assert_eq!(fetched("http://keys.example/jwks.json", keys()).await, Err(JkuError::Insecure));
    assert_eq!(fetched("http://93.184.216.34/jwks.json", keys()).await, Err(JkuError::Insecure));
    let unknown = JkuError::Unknown("keys.example".to_owned());
    assert_eq!(fetched("https://keys.example/jwks.json", keys()).await, Err(unknown));
}

/// One who answers once, with a redirect to another, who is asked nothing.
#[tokio::test]
async fn redirects_are_not_followed() {
    let listen = || async { TcpListener::bind("127.0.0.1:0").await.unwrap() };
    let (listener, other) = (listen().await, listen().await);
    let [here, there] = [&listener, &other].map(|one| format!("http://{}/jwks.json", one.local_addr().unwrap()));
    let answer = format!("HTTP/1.1 302 Found\r\nlocation: {there}\r\ncontent-length: 0\r\n\r\n");
    let answering = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await.unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
    };
    let http = Http::new(settings()).unwrap();
    let (card, allowed) = (signed(&here), ["127.0.0.1".to_owned()]);
    let ((keys, failed), ()) = tokio::join!(super::keys(&http, &card, &allowed), answering);
    assert!(keys.is_empty());
    assert_eq!(failed, [(Url::parse(&here).unwrap(), JkuError::Status(302))]);
    assert!(other.accept().now_or_never().is_none(), "nobody came");
}

/// A proxy may know names that this machine does not, but what is known to be private is not asked for there either.
#[tokio::test]
async fn a_proxy_looks_for_names_by_itself() {
    let mut dialing = Dialing::default();
    dialing.through("http://127.0.0.1:1").unwrap();
    let http = Http::dialing(dialing, settings()).unwrap();
    let url = Url::parse("https://keys.example/jwks.json").unwrap();
    let refused = fetch(&http, &url, private).await;
    assert!(matches!(refused, Err(JkuError::Private { .. })), "{refused:?}");
    for lookup in [nowhere as Lookup, routed] {
        let Err(JkuError::Failed(why)) = fetch(&http, &url, lookup).await else { panic!("nobody listens there") };
        assert!(why.contains("the proxy"), "{why}");
    }
}

/// Where the user says where a host is, that is another place, whatever its address.
#[tokio::test]
async fn the_user_may_say_where_a_host_is() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://keys.example:{}/jwks.json", listener.local_addr().unwrap().port());
    let mut dialing = Dialing::default();
    dialing.find_at("keys.example", "127.0.0.1".parse().unwrap());
    let http = Http::dialing(dialing, settings()).unwrap();
    let url = Url::parse(&url).unwrap();
    // Whoever comes gets no TLS, and nobody comes a second time.
    let (fetched, came) = tokio::join!(fetch(&http, &url, private), async move { listener.accept().await.is_ok() });
    assert!(came && matches!(fetched, Err(JkuError::Failed(_))), "{fetched:?}");
}

/// Answers with keys, and knows where it was told to look for hosts.
#[derive(Clone)]
struct Places {
    memory: Arc<Memory>,
    told: Arc<Mutex<Vec<String>>>,
    /// Whether it is the one that was told.
    is_told: bool,
}

impl Transport for Places {
    fn send<'a>(
        &'a self,
        request: &'a Outgoing,
        credentials: &'a [Header],
        anew: bool,
    ) -> BoxFuture<'a, Result<Head, Ended>> {
        self.told.lock().unwrap().push(format!("{}, told: {}", request.url, self.is_told));
        self.memory.send(request, credentials, anew)
    }

    fn dial<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Box<dyn Duplex>, Ended>> {
        self.memory.dial(url)
    }

    fn along(&self, dialing: &Dialing) -> Result<Option<Arc<dyn Transport>>, String> {
        let addresses = dialing.addresses_of("keys.example");
        self.told.lock().unwrap().push(format!("keys.example is at {addresses:?}"));
        Ok(Some(Arc::new(Self { is_told: true, ..self.clone() })))
    }
}

async fn at(lookup: Lookup) -> (Result<Keys, JkuError>, Vec<String>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let memory = Arc::new(Memory::new(|_| Reply::json(200, &jwks(0))));
    let http = Http::over(Arc::new(Places { memory, told: Arc::clone(&told), is_told: false }), settings());
    let fetched = fetch(&http, &Url::parse("https://keys.example/jwks.json").unwrap(), lookup).await;
    let told = told.lock().unwrap().clone();
    (fetched, told)
}

/// What a name leads to is asked once: who answers a second question otherwise has nobody led there.
#[tokio::test(start_paused = true)]
async fn names_are_followed_to_the_addresses_that_were_judged() {
    let (keys, told) = at(routed).await;
    assert!(keys.is_ok_and(|keys| !keys.is_empty()));
    let there = "keys.example is at [93.184.216.34, 2606:2800:220:1::1]";
    assert_eq!(told, [there, "https://keys.example/jwks.json, told: true"]);
    // One private address among others is enough, and nobody is asked.
    let (refused, told) = at(private).await;
    let address = "::ffff:169.254.169.254".parse().unwrap();
    assert_eq!(refused, Err(JkuError::Private { host: "keys.example".to_owned(), address }));
    assert_eq!(told, [""; 0]);
}
