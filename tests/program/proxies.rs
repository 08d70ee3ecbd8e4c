//! Agents behind a proxy: the way through it, what is said of it, and who is to blame where it leads nowhere.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use a2a_reference_agent::{Config, RunningAgent, Tls};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::program::{self, Folder, Ran};

/// A name that is kept for documents, so that only the proxy knows where it leads.
const NAME: &str = "agent.example.com";

/// `user` and `s3cret-of-the-proxy` (RFC 7617).
const PAIR: &str = "Proxy-Authorization: Basic dXNlcjpzM2NyZXQtb2YtdGhlLXByb3h5";

/// A proxy that takes every name for this machine, and what it was asked: for each connection the head that opened a
/// way, or all that the client sent where the proxy reads along (requests may share a connection).
struct Proxy {
    address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// `answer` is what it says in place of opening a way, if anything.
    async fn start(answer: Option<&'static str>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heads = Arc::new(Mutex::default());
        let noted = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(lead(stream, answer, Arc::clone(&noted)));
            }
        });
        Self { address, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// Its URL with credentials.
    fn url(&self) -> String {
        format!("http://user:s3cret-of-the-proxy@{}", self.address)
    }
}

async fn lead(mut client: TcpStream, answer: Option<&str>, noted: Arc<Mutex<Vec<String>>>) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.ok()?);
    }
    let text = String::from_utf8(head.clone()).ok()?;
    let place = {
        let mut noted = noted.lock().unwrap();
        noted.push(text.clone());
        noted.len() - 1
    };
    if let Some(answer) = answer {
        return client.write_all(answer.as_bytes()).await.ok();
    }
    let (method, target) = text.split_once(' ')?;
    let authority = target.split(' ').next()?.trim_start_matches("http://").split('/').next()?;
    let port: u16 = authority.rsplit_once(':')?.1.parse().ok()?;
    let mut agent = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()?;
    if method == "CONNECT" {
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.ok()?;
        return copy_bidirectional(&mut client, &mut agent).await.ok().map(|_| ());
    }
    agent.write_all(&head).await.ok()?;
    let (mut answers, mut requests) = agent.split();
    let (mut asked, mut answered) = client.split();
    let forth = async {
        let mut bytes = vec![0; 8192];
        while let Ok(count @ 1..) = asked.read(&mut bytes).await {
            noted.lock().unwrap()[place].push_str(&String::from_utf8_lossy(&bytes[..count]));
            requests.write_all(&bytes[..count]).await?;
        }
        requests.shutdown().await
    };
    tokio::try_join!(forth, tokio::io::copy(&mut answers, &mut answered)).ok().map(|_| ())
}

/// The reference agent with TLS, and its certificate.
async fn encrypted() -> (RunningAgent, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let tls = Tls { chain: cert.pem().into_bytes(), key: signing_key.serialize_pem().into_bytes() };
    let config = Config { tls: Some(tls), host: Some(NAME.to_owned()), ..Config::default() };
    (a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap(), cert.pem())
}

/// What the program says with these arguments, while the proxy and the agent go on.
async fn ran(arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let environment: Vec<(String, String)> = environment.iter().map(own).collect();
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let environment: Vec<(&str, &str)> =
            environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        program::run(&arguments, &environment)
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// One case over HTTP and gRPC, exact bytes, and offers of TLS.
const SHORT: [&str; 10] = [
    "--profile",
    "1.0",
    "--binding",
    "jsonrpc",
    "--binding",
    "grpc",
    "--only",
    "get/unknown-id",
    "--only",
    "security/old-tls",
];

fn verdicts(ran: &Ran) -> Vec<String> {
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let results = report["results"].as_array().unwrap().iter();
    let mut all: Vec<String> = results.map(|one| format!("{} {}", one["case"], one["verdict"])).collect();
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_of_the_environment_leads_to_the_agent() {
    let (agent, chain) = encrypted().await;
    let proxy = Proxy::start(None).await;
    let folder = Folder::new();
    let trusted = folder.write("ca.pem", &chain);
    let check = [&["check", agent.url(), "--cacert", &trusted, "--report", "json"], &SHORT[..]].concat();
    let seen = ran(&[&check[..], &["--only", "http1/*"]].concat(), &[("https_proxy", &proxy.url())]).await;
    let verdicts = verdicts(&seen);
    assert!(verdicts.iter().filter(|verdict| verdict.contains("http1/")).count() > 2, "{verdicts:?}");
    assert!(verdicts.iter().all(|verdict| verdict.ends_with("\"pass\"")), "{verdicts:?}");
    let heads = proxy.heads();
    let way = format!("CONNECT {}", agent.url().trim_start_matches("https://").trim_end_matches('/'));
    assert!(heads.len() > 3, "{heads:?}");
    for head in &heads {
        assert!(head.starts_with(&way), "{head}");
        assert!(head.to_ascii_lowercase().contains(&PAIR.to_ascii_lowercase()), "{head}");
    }
    let note = format!("reached through the proxy http://***@{}", proxy.address);
    assert!(seen.stdout.contains(&note), "{}", seen.stdout);
    let doctor =
        ran(&["doctor", agent.url(), "--cacert", &trusted, "--profile", "1.0"], &[("ALL_PROXY", &proxy.url())]).await;
    assert!(doctor.stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(&note), "{}", doctor.stdout);
    for said in [&seen.stdout, &seen.stderr, &doctor.stdout, &doctor.stderr] {
        assert!(!said.contains("s3cret-of-the-proxy") && !said.contains("dXNlcjpz"), "{said}");
    }

    let straight = ran(&check, &[("HTTPS_PROXY", &proxy.url()), ("NO_PROXY", "example.com")]).await;
    assert_eq!((straight.code, proxy.heads().len() > heads.len()), (3, true), "{}", straight.stderr);
    assert!(straight.stderr.contains("cannot be resolved"), "{}", straight.stderr);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn this_machine_is_reached_through_a_proxy_only_if_the_user_says_so() {
    let agent = a2a_reference_agent::start(Config::default(), (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let proxy = Proxy::start(None).await;
    let check = [&["check", agent.url(), "--report", "json"], &SHORT[..]].concat();
    let straight = ran(&check, &[("HTTP_PROXY", &proxy.url()), ("ALL_PROXY", &proxy.url())]).await;
    assert_eq!((straight.code, proxy.heads().len()), (0, 0), "{}", straight.stderr);

    let seen = ran(&[&check[..], &["--proxy", &proxy.url()]].concat(), &[]).await;
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(seen.stdout.contains("which reads plain HTTP and may change it"), "{}", seen.stdout);
    let heads = proxy.heads();
    assert!(heads.iter().any(|head| head.contains(&format!("POST {}", agent.url()))), "{heads:?}");
    // gRPC has no other way through.
    assert!(heads.iter().any(|head| head.starts_with("CONNECT 127.0.0.1:")), "{heads:?}");
    assert!(!seen.stdout.contains("s3cret"), "{}", seen.stdout);
    agent.stop().await;
}

/// What keeps the suite from the agent is not the agent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_leads_nowhere_is_blamed_itself() {
    let denied = Proxy::start(Some("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")).await;
    let asking = Proxy::start(Some("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")).await;
    let gone = format!("http://{}", TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap());
    let url = |scheme: &str| format!("{scheme}://{NAME}:4443/");
    for (agent, proxy, said) in [
        (url("https"), denied.url(), "the proxy on the way opens no connection"),
        (url("https"), asking.url(), "the proxy on the way opens no connection"),
        (url("http"), asking.url(), "wants credentials"),
        (url("http"), gone.clone(), "is not reached"),
        (url("https"), gone, "the proxy on the way opens no connection"),
    ] {
        let lost = ran(&["check", &agent], &[("ALL_PROXY", &proxy)]).await;
        assert_eq!(lost.code, 3, "{agent} through {proxy}: {}{}", lost.stdout, lost.stderr);
        assert!(lost.stderr.contains(said), "{said}: {}", lost.stderr);
        assert!(!lost.stderr.contains("s3cret"), "{}", lost.stderr);
    }
    for (arguments, environment, named) in [
        (
            vec![],
            vec![("ALL_PROXY", "socks5://user:s3cret@127.0.0.1:1080")],
            "ALL_PROXY is \"socks5://***@127.0.0.1:1080\"",
        ),
        (vec!["--proxy", "https://127.0.0.1:3128"], vec![], "--proxy is \"https://127.0.0.1:3128\""),
    ] {
        let wrong = ran(&[&["check", &url("https")], &arguments[..]].concat(), &environment).await;
        assert_eq!(wrong.code, 2, "{}", wrong.stderr);
        assert!(wrong.stderr.contains(named), "{}", wrong.stderr);
    }
}
