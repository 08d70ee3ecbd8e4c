//! Proxies from elsewhere: nginx as Debian packages it, and the package http-proxy of npm. What is told of them must be true.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

use a2a_reference_agent::Config;

use super::super::common::agent::Reference;
use super::super::common::program::{self, Folder, Running};
use super::super::common::tools::{Tools, not_run};
use super::{Compared, FEW, SLOW, compare, reference};

static PROXIES: Tools = Tools::of("compare");

/// A port that is free, as far as one can tell.
fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Waits until something listens.
fn wait_for(port: u16) {
    program::until("a proxy", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok());
}

/// nginx with this configuration of a server. It stops when this is dropped.
struct Nginx {
    _process: Running,
    _folder: Folder,
}

impl Nginx {
    /// Nothing where there is no nginx.
    fn start(servers: &str, ports: &[u16]) -> Option<Self> {
        let folder = Folder::new();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {};\n", folder.file(name)))
            .concat();
        let configuration = format!(
            "daemon off;\nmaster_process off;\npid {};\nerror_log {};\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{servers}}}\n",
            folder.file("pid"),
            folder.file("error.log"),
        );
        let file = folder.file("nginx.conf");
        std::fs::write(&file, configuration).unwrap();
        let path = format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default());
        let found = std::env::split_paths(&path).map(|folder| folder.join("nginx")).find(|file| file.exists());
        let Some(program) = found else {
            not_run("nginx", "nginx was not found");
            return None;
        };
        let mut command = Command::new(program);
        command.args(["-c", &file, "-e", &folder.file("error.log")]);
        let process = Running::of(&mut command).unwrap();
        ports.iter().for_each(|port| wait_for(*port));
        Some(Self { _process: process, _folder: folder })
    }
}

/// The agent whose card names this port.
fn agent(port: u16) -> Reference {
    reference(Config { public_url: Some(format!("http://127.0.0.1:{port}")), ..Config::default() })
}

/// A server of nginx before an agent.
fn server(port: u16, agent: &str, more: &str) -> String {
    format!(
        "server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {agent}; proxy_set_header Host $http_host; {more} }} }}\n"
    )
}

const OVER_HTTP: [&str; 4] = ["--binding", "jsonrpc", "--binding", "http-json"];

fn compared(direct: &str, port: u16, flags: &[String]) -> Compared {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    compare(direct, &format!("http://127.0.0.1:{port}"), &flags)
}

fn few(flags: &[&str]) -> Vec<String> {
    FEW.iter().chain(flags).map(|flag| (*flag).to_owned()).collect()
}

/// Compares an agent with itself behind nginx with these directives.
fn behind_nginx(more: &str, flags: &[&str]) -> Option<Compared> {
    let port = free_port();
    let agent = agent(port);
    let _nginx = Nginx::start(&server(port, &agent.url(), more), &[port])?;
    Some(compared(&agent.url(), port, &few(flags)))
}

#[test]
fn nginx_without_buffering_does_not_differ() {
    let Some(compared) = behind_nginx("proxy_buffering off;", &OVER_HTTP) else { return };
    assert_eq!(compared.ran.code, 0, "{}", compared.told());
}

#[test]
fn nginx_with_a_small_limit_for_bodies() {
    let more = "proxy_buffering off; client_max_body_size 4k;";
    let Some(compared) = behind_nginx(more, &OVER_HTTP) else { return };
    assert_eq!((compared.ran.code, compared.kinds()), (1, vec!["body-limit".to_owned()]), "{}", compared.told());
}

#[test]
fn nginx_with_a_short_time_limit() {
    let more = "proxy_buffering off; proxy_read_timeout 300ms;";
    let Some(compared) = behind_nginx(more, &OVER_HTTP) else { return };
    let kinds = compared.kinds();
    assert_eq!(compared.ran.code, 1, "{}", compared.told());
    assert!(kinds.iter().any(|kind| kind == "time-limit"), "{}", compared.told());
}

/// It carries the trailers of gRPC at a port of its own.
#[test]
fn nginx_with_grpc_does_not_differ() {
    let (port, over_http2) = (free_port(), free_port());
    let agent = agent(port);
    let address = agent.url().trim_start_matches("http://").to_owned();
    let servers = format!(
        "{}server {{ listen 127.0.0.1:{over_http2} http2; location / {{ grpc_pass grpc://{address}; }} }}\n",
        server(port, &agent.url(), "proxy_buffering off;")
    );
    let Some(_nginx) = Nginx::start(&servers, &[port, over_http2]) else { return };
    let base = format!("grpc=http://127.0.0.1:{over_http2}");
    let compared = compared(&agent.url(), port, &few(&["--gateway-base-url", &base]));
    assert_eq!(compared.ran.code, 0, "{}", compared.told());
}

/// What the package does by itself, before anything is set.
#[test]
fn http_proxy_of_npm_does_not_differ() {
    if PROXIES.ready().is_none() {
        return;
    }
    let port = free_port();
    let agent = agent(port);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare/http-proxy/proxy.cjs");
    let mut command = Command::new("node");
    command.arg(script).args([agent.url(), port.to_string()]);
    let process = Running::of(&mut command).unwrap();
    wait_for(port);
    let compared = compared(&agent.url(), port, &few(&OVER_HTTP));
    drop(process);
    assert_eq!(compared.ran.code, 0, "{}", compared.told());
}

/// Events that a proxy collects are told of by the time at which they arrive.
#[test]
fn nginx_with_buffering_holds_streams_back() {
    let more = "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;";
    let Some(compared) = behind_nginx(more, &OVER_HTTP) else { return };
    assert_eq!((compared.ran.code, compared.kinds()), (1, vec!["stream-buffered".to_owned()]), "{}", compared.told());
    assert!(SLOW > Duration::from_millis(500));
}
