//! Every security scheme of the reference agent, and an identity of each kind: it is let in over each binding that can carry what it
//! brings, in each family of versions, and nobody else is.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::Value;

use super::issuer::{Issuer, Manner, SECRET, TOKEN};
use super::program::{self, Folder, Running};

/// The name of the agent where it has a certificate: one that is kept for documents, so that nobody is there.
const NAME: &str = "agent.example.com";

/// One version of each family, with what stands behind the agent's URL before its card, and its bindings.
const VERSIONS: [(&str, &str, &[&str]); 3] =
    [("0.2.5", "/0.2.5", &["jsonrpc"]), ("0.3", "", &EVERY), ("1.0", "", &EVERY)];
const EVERY: [&str; 3] = ["jsonrpc", "http-json", "grpc"];
/// Those whose requests have a query and cookies.
const OVER_HTTP: [&str; 2] = ["jsonrpc", "http-json"];

/// `a2aspec agent`, until this is dropped.
struct Served {
    _agent: Running,
    url: String,
}

impl Served {
    /// With two users, who show who they are in these ways.
    fn by(flags: &[&str]) -> Self {
        let ann = format!("ann={TOKEN}1");
        let users = ["agent", "--port", "0", "--user", &ann, "--user", "bob=b0b"];
        let agent = program::start(&[&users, flags].concat(), &[]);
        let url = agent.stdout_line("reference agent at ").replace("reference agent at ", "");
        Self { _agent: agent, url }
    }
}

/// Whoever checks, with what each identity brings.
struct Checker {
    folder: Folder,
    config: String,
    flags: Vec<String>,
}

impl Checker {
    fn with(ann: &str, bob: &str) -> Self {
        let folder = Folder::new();
        let config = folder.write("a2aspec.toml", &format!("[identities.ann]\n{ann}\n[identities.bob]\n{bob}\n"));
        Self { folder, config, flags: Vec::new() }
    }

    fn start(&self, what: &[&str]) -> Running {
        let home = self.folder.path().display().to_string();
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let (token, pair) = (format!("{TOKEN}1"), format!("ann:{TOKEN}1"));
        let environment = [
            ("ANN", token.as_str()),
            ("ANN_PAIR", &pair),
            ("BOB", "b0b"),
            ("BOB_PAIR", "bob:b0b"),
            ("SECRET", SECRET),
            ("XDG_CONFIG_HOME", &home),
            ("APPDATA", &home),
            ("HOME", &home),
        ];
        program::start(&[what, &["--config", &self.config], &flags].concat(), &environment)
    }

    /// Begins to check one version over some of its bindings.
    fn check(&self, url: &str, version: &str, bindings: &[&str], more: &[&str]) -> Running {
        let over = bindings.iter().flat_map(|binding| ["--binding", *binding]).collect::<Vec<_>>();
        self.start(&[&["check", url, "--profile", version, "--report", "json"], &over[..], more].concat())
    }

    /// Checks all versions but these as ann, beside bob, over those of their bindings that are among these.
    fn passes(&self, url: &str, bindings: &[&str], without: &[&str]) {
        let versions = VERSIONS.into_iter().filter(|(version, ..)| !without.contains(version));
        let mut runs = versions.map(|(version, base, spoken)| {
            let over: Vec<&str> = spoken.iter().copied().filter(|binding| bindings.contains(binding)).collect();
            let as_ann = ["--only", "security/*", "--only", "card/*", "--as", "ann", "--other", "bob"];
            let running = self.check(&format!("{url}{base}"), version, &over, &as_ann);
            (version, over, running)
        });
        let ended = |(version, over, running): (&str, Vec<&str>, Running)| {
            let ran = running.wait();
            assert_eq!(ran.code, 0, "{version}: {}{}", ran.stdout, ran.stderr);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            let results = report["results"].as_array().unwrap();
            let passed = |case: &str| {
                let of_case = results.iter().filter(|result| result["case"] == case && result["verdict"] == "pass");
                of_case.count()
            };
            for case in ["security/no-credentials", "security/no-credentials-to-send", "security/others-task"] {
                assert_eq!(passed(case), over.len(), "{version} {case}: {}", ran.stdout);
            }
            assert_eq!(passed("card/valid"), over.len().min(1), "{version}: {}", ran.stdout);
            assert!(!ran.stderr.contains("the card demands credentials"), "{version}: {}", ran.stderr);
        };
        // The first one that needs a token keeps it for the others.
        runs.next().into_iter().for_each(ended);
        runs.collect::<Vec<_>>().into_iter().for_each(ended);
    }

    /// Without what the agent takes, every binding of these is closed.
    fn is_refused(&self, url: &str, bindings: &[&str], more: &[&str]) {
        let ran = self.check(url, "1.0", bindings, &[&["--only", "security/extended-card"], more].concat()).wait();
        assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let shut = report["results"].as_array().unwrap().iter().map(|result| result["reason_kind"].clone());
        let shut: Vec<_> = shut.collect();
        assert_eq!(shut, vec!["credentials-wanted"; bindings.len()], "{}", ran.stdout);
    }
}

/// The challenges by which somebody without credentials is refused.
fn challenges(url: &str) -> Vec<String> {
    let _provided = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime
        .block_on(reqwest::Client::builder().no_proxy().build().unwrap().post(format!("{url}/1.0")).body("{}").send())
        .unwrap();
    assert_eq!(answer.status(), 401);
    let values = answer.headers().get_all("www-authenticate").iter();
    values.map(|value| value.to_str().unwrap().to_owned()).collect()
}

/// An agent with one scheme, which takes it over these bindings, and answers everybody else with a challenge.
fn assert_lets_in(flags: &[&str], checker: &Checker, bindings: &[&str], challenge: &str) {
    let served = Served::by(flags);
    assert_eq!(challenges(&served.url), [challenge]);
    checker.passes(&served.url, bindings, &[]);
    checker.is_refused(&served.url, bindings, &[]);
    let others: Vec<&str> = EVERY.into_iter().filter(|binding| !bindings.contains(binding)).collect();
    if !others.is_empty() {
        checker.is_refused(&served.url, &others, &["--as", "ann"]);
    }
}

const BEARER: &str = "Bearer realm=\"a2a\"";

#[test]
fn by_bearer_tokens() {
    let checker = Checker::with("bearer = 'env:ANN'", "bearer = 'env:BOB'");
    assert_lets_in(&["--auth", "bearer"], &checker, &EVERY, BEARER);
}

#[test]
fn by_passwords() {
    let checker = Checker::with("basic = 'env:ANN_PAIR'", "basic = 'env:BOB_PAIR'");
    assert_lets_in(&["--auth", "basic"], &checker, &EVERY, "Basic realm=\"a2a\", charset=\"UTF-8\"");
}

#[test]
fn by_keys_in_headers() {
    let checker = Checker::with("headers = { X-Key = 'env:ANN' }", "headers = { X-Key = 'env:BOB' }");
    let challenge = "ApiKey realm=\"a2a\", in=\"header\", name=\"X-Key\"";
    assert_lets_in(&["--auth", "api-key=header:X-Key"], &checker, &EVERY, challenge);
}

#[test]
fn by_keys_in_queries() {
    let checker = Checker::with("query = { key = 'env:ANN' }", "query = { key = 'env:BOB' }");
    let challenge = "ApiKey realm=\"a2a\", in=\"query\", name=\"key\"";
    assert_lets_in(&["--auth", "api-key=query:key"], &checker, &OVER_HTTP, challenge);
}

#[test]
fn by_keys_in_cookies() {
    let checker = Checker::with("cookies = { sid = 'env:ANN' }", "cookies = { sid = 'env:BOB' }");
    let challenge = "ApiKey realm=\"a2a\", in=\"cookie\", name=\"sid\"";
    assert_lets_in(&["--auth", "api-key=cookie:sid"], &checker, &OVER_HTTP, challenge);
}

/// Ann's token is one that the issuer gives, once for all runs; bob has his already.
fn by_issuer(scheme: &str, metadata: &'static str) {
    let issuer = Issuer::start(Manner { metadata, ..Manner::default() });
    let url = &issuer.agent.url;
    let ann = format!(
        "[identities.ann.oauth]\ngrant = 'client-credentials'\nissuer = '{url}'\nclient-id = 'suite'\n\
         client-secret = 'env:SECRET'"
    );
    let checker = Checker::with(&ann, "bearer = 'env:BOB'");
    assert_lets_in(&["--auth", scheme, "--oauth-issuer", url], &checker, &EVERY, BEARER);
    assert_eq!(issuer.grants(), ["client_credentials"]);
}

#[test]
fn by_oauth() {
    by_issuer("oauth2", "/.well-known/oauth-authorization-server");
}

#[test]
fn by_openid() {
    by_issuer("openid", "/.well-known/openid-configuration");
}

/// The agent with its own certificate and those of who certifies its users, and who checks it, with the certificates of both.
fn with_certificates(more: &[&str]) -> (Served, Checker) {
    let file = |of: &str| format!("cert = '{of}.pem'\nkey = '{of}.key'\n");
    let mut checker = Checker::with(&file("ann"), &file("bob"));
    let make = |name: &str| {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.to_owned()]).unwrap();
        (cert.pem(), signing_key.serialize_pem())
    };
    let mut known = String::new();
    for name in ["ann", "bob"] {
        let (certificate, key) = make(name);
        checker.folder.write(&format!("{name}.pem"), &certificate);
        checker.folder.write(&format!("{name}.key"), &key);
        known.push_str(&certificate);
    }
    let text = std::fs::read_to_string(&checker.config).unwrap();
    let place = checker.folder.path().display().to_string();
    std::fs::write(&checker.config, text.replace(" = '", &format!(" = '{place}/"))).unwrap();
    let (certificate, key) = make(NAME);
    let trusted = checker.folder.write("agent.pem", &certificate);
    let key = checker.folder.write("agent.key", &key);
    let known = checker.folder.write("known.pem", &known);
    checker.flags = ["--cacert", &trusted, "--resolve", &format!("{NAME}=127.0.0.1")].map(str::to_owned).to_vec();
    let flags = ["--tls", &trusted, "--tls-key", &key, "--tls-client-ca", &known, "--name", NAME, "--auth", "mtls"];
    (Served::by(&[&flags, more].concat()), checker)
}

/// The card of each family, and of the draft, says all schemes at once.
#[test]
fn cards_say_every_scheme() {
    let schemes =
        ["bearer", "basic", "api-key=header:X-Key", "api-key=query:key", "api-key=cookie:sid", "oauth2", "openid"];
    let flags = schemes.iter().flat_map(|scheme| ["--auth", *scheme]).collect::<Vec<_>>();
    let served = Served::by(&[&flags[..], &["--oauth-issuer", "https://id.example"]].concat());
    let lint = |(version, base): (&str, &str)| {
        program::start(&["card", "lint", &format!("{}{base}", served.url), "--profile", version], &[])
    };
    let bases = VERSIONS.map(|(version, base, _)| (version, base)).into_iter();
    let runs = bases.chain([("1.0-draft", "/1.0-draft"), ("0.1", "/0.1")]).map(lint).collect::<Vec<_>>();
    for ran in runs.into_iter().map(Running::wait) {
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
}

/// Cards have no word for certificates before 0.3.
#[test]
fn by_certificates() {
    let (served, checker) = with_certificates(&[]);
    checker.passes(&served.url, &EVERY, &["0.2.5"]);
    checker.is_refused(&served.url, &EVERY, &[]);
}

/// Any scheme will do, and each of two callers may take another.
#[test]
fn by_any_of_several() {
    let (served, mut checker) = with_certificates(&["--auth", "basic", "--auth", "api-key=header:X-Key"]);
    let text = std::fs::read_to_string(&checker.config).unwrap();
    let (_, bob) = text.split_once("[identities.bob]").unwrap();
    let ann = "[identities.ann]\nbasic = 'env:ANN_PAIR'\n";
    checker.config = checker.folder.write("two.toml", &format!("{ann}[identities.bob]{bob}"));
    checker.passes(&served.url, &EVERY, &[]);
}

#[test]
fn what_a_scheme_takes_is_asked_for() {
    let user = ["agent", "--user", "ann=t0ken"];
    for (flags, wanted) in [
        (&["--auth", "oauth2"][..], "--auth oauth2 or openid and --oauth-issuer URL go together"),
        (&["--auth", "bearer", "--oauth-issuer", "https://id.example"], "leave out --oauth-issuer"),
        (&["--auth", "openid", "--oauth-issuer", "id.example"], "\"id.example\" is no URL of http or https"),
        (&["--auth", "mtls"], "give it with --tls-client-ca FILE"),
        (&["--auth", "api-key=body:key"], "there are: bearer, basic, oauth2, openid, mtls, api-key=header:NAME"),
    ] {
        let ran = program::run(&[&user, flags].concat(), &[]);
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(wanted), "{wanted}: {}", ran.stderr);
    }
    let ran = program::run(&["agent", "--auth", "basic"], &[]);
    assert!(ran.code == 2 && ran.stderr.contains("--user"), "{}", ran.stderr);
}
