//! Identities that get tokens of OAuth 2 from an issuer.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::header::LOCATION;
use axum::http::{Response, StatusCode};

use super::agent::Agent;
use super::issuer::{Issuer, Manner, SECRET, TOKEN};
use super::program::{self, Folder, Ran};
use super::proxy::{reference_agent, unchanged};

/// The reference agent for whoever brings a token of the issuer, and the tokens that came.
fn agent() -> (Agent, Arc<Mutex<BTreeSet<String>>>) {
    let tokens = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&tokens);
    let agent = reference_agent(move |asked, answer| {
        let said = asked.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        match said.strip_prefix("Bearer ").filter(|token| token.starts_with(TOKEN)) {
            Some(token) => {
                seen.lock().unwrap().insert(token.to_owned());
                unchanged(answer)
            }
            None if asked.is_call() => Response::builder().status(401).body(Body::empty()).unwrap(),
            None => unchanged(answer),
        }
    });
    (agent, tokens)
}

/// A place with settings, and with tokens of its own.
struct Place {
    folder: Folder,
    config: String,
}

impl Place {
    fn new(issuer: &str, grant: &str, more: &str) -> Self {
        let folder = Folder::new();
        let text = format!(
            "as = 'me'\n[identities.me.oauth]\ngrant = '{grant}'\nissuer = '{issuer}'\nclient-id = 'suite'\n\
             client-secret = 'env:A2ASPEC_TEST_SECRET'\n{more}\n"
        );
        let config = folder.write("settings.toml", &text);
        Self { folder, config }
    }

    fn arguments<'a>(&'a self, url: &'a str) -> [&'a str; 10] {
        let [profile, binding, only] = ["--profile", "--binding", "--only"];
        ["check", url, "--config", &self.config, profile, "1.0", binding, "jsonrpc", only, "get/existing"]
    }

    fn environment<'a>(&'a self, home: &'a str, secret: &'a str) -> [(&'a str, &'a str); 4] {
        [("A2ASPEC_TEST_SECRET", secret), ("XDG_CONFIG_HOME", home), ("APPDATA", home), ("HOME", home)]
    }

    fn check_with(&self, url: &str, secret: &str) -> Ran {
        let home = self.folder.path().display().to_string();
        program::run(&self.arguments(url), &self.environment(&home, secret))
    }

    fn check(&self, url: &str) -> Ran {
        self.check_with(url, SECRET)
    }

    /// A check whose person does what it asks for on standard error: opens the page that it names.
    fn check_with_a_browser(&self, url: &str) -> Ran {
        let home = self.folder.path().display().to_string();
        let running = program::start(&self.arguments(url), &self.environment(&home, SECRET));
        let line = running.stderr_line("http");
        let page = line.split(' ').find(|word| word.starts_with("http")).unwrap().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let status = runtime.block_on(async {
            // Whoever guesses the port brings no code.
            let redirect = url::Url::parse(&page).unwrap();
            let redirect = redirect.query_pairs().find(|(name, _)| name == "redirect_uri").unwrap().1.into_owned();
            let browser = reqwest::Client::builder().no_proxy().timeout(program::LIMIT).build().unwrap();
            let guessed = browser.get(format!("{redirect}?code=stolen&state=guessed")).send().await.unwrap();
            assert_eq!(guessed.status(), 404);
            browser.get(&page).send().await.unwrap().status()
        });
        assert_eq!(status, 200);
        running.wait()
    }

    fn kept(&self) -> String {
        self.folder.file("a2aspec/tokens.json")
    }
}

fn assert_passes(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // With them the codes by which tokens are got: of an authorization, and of a device.
    for secret in [SECRET, TOKEN, "m4rked", "c0de", "d3vice"] {
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(secret), "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_token_for_a_program_is_got_once_and_kept_for_its_owner() {
    let (agent, tokens) = agent();
    for metadata in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
        let issuer = Issuer::start(Manner { metadata, ..Manner::default() });
        let place = Place::new(
            &issuer.agent.url,
            "client-credentials",
            "scopes = ['a', 'b']\nresource = 'https://agent.example'",
        );
        assert_passes(&place.check(&agent.url));
        assert_eq!(issuer.last("scope").as_deref(), Some("a b"));
        assert_eq!(issuer.last("resource").as_deref(), Some("https://agent.example"));
        assert_passes(&place.check(&agent.url));
        assert_eq!(issuer.grants(), ["client_credentials"], "the second run takes what the first one got");
        let ran = place.check_with(&agent.url, "m4rked-wrong");
        assert_eq!(ran.code, 2, "a token is not for who has another secret: {}", ran.stderr);
        assert!(!std::fs::read_to_string(place.kept()).unwrap().contains(SECRET));
        assert!(!tokens.lock().unwrap().is_empty());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(place.kept()).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

/// An issuer may say any number of seconds, and so may the file.
#[test]
fn a_token_that_holds_longer_than_clocks_go_is_no_panic() {
    let (agent, _) = agent();
    let issuer = Issuer::start(Manner { lifetime: Some(u64::MAX), ..Manner::default() });
    let place = Place::new(&issuer.agent.url, "client-credentials", "");
    (0..2).for_each(|_| assert_passes(&place.check(&agent.url)));
    assert_eq!(issuer.grants(), ["client_credentials"], "it is kept");
    let mut kept: serde_json::Value = serde_json::from_slice(&std::fs::read(place.kept()).unwrap()).unwrap();
    for odd in [serde_json::json!(u64::MAX), serde_json::json!(1e300)] {
        for entry in kept.as_object_mut().unwrap().values_mut() {
            entry["expires_at"] = odd.clone();
        }
        std::fs::write(place.kept(), kept.to_string()).unwrap();
        assert_passes(&place.check(&agent.url));
    }
    assert_eq!(issuer.grants().len(), 3, "what cannot be used is got anew");
}

#[test]
fn a_token_that_ends_is_refreshed_or_got_anew() {
    let (agent, tokens) = agent();
    let ends_soon = Manner { lifetime: Some(30), gives_refresh: true, ..Manner::default() };
    let issuer = Issuer::start(ends_soon.clone());
    let place = Place::new(&issuer.agent.url, "client-credentials", "");
    (0..3).for_each(|_| assert_passes(&place.check(&agent.url)));
    assert_eq!(issuer.grants(), ["client_credentials", "refresh_token", "refresh_token"]);
    // What the issuer does not know any more is of no use.
    let text = std::fs::read_to_string(place.kept()).unwrap().replace("m4rked-refresh-3", "m4rked-refresh-0");
    std::fs::write(place.kept(), text).unwrap();
    assert_passes(&place.check(&agent.url));
    assert_eq!(issuer.grants()[3..], ["refresh_token", "client_credentials"]);
    assert_eq!(tokens.lock().unwrap().len(), 4);
    let issuer = Issuer::start(ends_soon);
    let place = Place::new(&issuer.agent.url, "client-credentials", "cache = false");
    (0..2).for_each(|_| assert_passes(&place.check(&agent.url)));
    assert_eq!(issuer.grants(), ["client_credentials", "client_credentials"]);
    assert!(!std::fs::exists(place.kept()).unwrap());
}

#[test]
fn a_person_confirms_the_code_of_a_device() {
    let (agent, _) = agent();
    let issuer = Issuer::start(Manner { device: vec!["authorization_pending"; 2], ..Manner::default() });
    let place = Place::new(&issuer.agent.url, "device-code", "");
    let ran = place.check(&agent.url);
    assert_passes(&ran);
    let asked = format!("to be `me`: open {}/enter and enter the code ABCD-EFGH\n", issuer.agent.url);
    assert!(ran.stderr.starts_with(&asked), "{}", ran.stderr);
    assert_eq!(issuer.grants().len(), 3);
    for (device, code, wanted) in [
        ("expired_token", 3, "the device code expired before anyone confirmed it"),
        ("access_denied", 2, "the issuer refuses: access_denied (not now)"),
    ] {
        let issuer = Issuer::start(Manner { device: vec![device], ..Manner::default() });
        let ran = Place::new(&issuer.agent.url, "device-code", "").check(&agent.url);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
    }
}

/// The reference agent for whoever brings a token of the issuer that holds, and how often one came that does not.
fn strict_agent(issuer: &Issuer) -> (Agent, Arc<AtomicUsize>) {
    let refused = Arc::new(AtomicUsize::new(0));
    let (count, holds) = (Arc::clone(&refused), issuer.holds());
    let agent = reference_agent(move |asked, answer| {
        let said = asked.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        match said.strip_prefix("Bearer ") {
            Some(token) if holds(token) => unchanged(answer),
            token if asked.is_call() => {
                // Some of what a fuzzer sends brings none at all.
                count.fetch_add(usize::from(token.is_some()), Ordering::Relaxed);
                Response::builder().status(401).body(Body::empty()).unwrap()
            }
            _ => unchanged(answer),
        }
    });
    (agent, refused)
}

/// A run that lasts longer than its token.
#[test]
fn a_token_is_renewed_while_a_run_goes_on() {
    for gives_refresh in [false, true] {
        let issuer = Issuer::start(Manner { lifetime: Some(1), gives_refresh, ..Manner::default() });
        let (agent, refused) = strict_agent(&issuer);
        let place = Place::new(&issuer.agent.url, "client-credentials", "");
        let home = place.folder.path().display().to_string();
        let findings = place.folder.file("findings");
        let arguments = [
            &["fuzz", agent.url.as_str(), "--config", &place.config, "--profile", "1.0", "--binding", "jsonrpc"][..],
            &["--time", "6", "--seed", "1", "--max-messages", "10", "--rate", "20", "--findings", &findings],
        ];
        let began = Instant::now();
        let ran = program::run(&arguments.concat(), &place.environment(&home, SECRET));
        assert_passes(&ran);
        assert_eq!(refused.load(Ordering::Relaxed), 0, "no request came with a token that had ended");
        let grants = issuer.grants();
        // A token holds for a second, and half of that is kept back.
        let most = 2 * usize::try_from(began.elapsed().as_secs()).unwrap() + 2;
        assert!((3..=most).contains(&grants.len()), "renewed once each time, for all: {grants:?}");
        let again = if gives_refresh { "refresh_token" } else { "client_credentials" };
        assert!(grants[1..].iter().all(|grant| grant == again), "{grants:?}");
    }
}

/// Nobody sits there to confirm a second time: the run ends, and judges nothing by a token that has ended.
#[test]
fn a_token_that_is_not_renewed_ends_the_run() {
    let issuer = Issuer::start(Manner { lifetime: Some(6), ..Manner::default() });
    let (agent, refused) = strict_agent(&issuer);
    let place = Place::new(&issuer.agent.url, "device-code", "");
    let home = place.folder.path().display().to_string();
    let (json, findings) = (place.folder.file("report.json"), place.folder.file("findings"));
    let report = format!("json={json}");
    let of_agent = [agent.url.as_str(), "--config", &place.config, "--profile", "1.0", "--binding", "jsonrpc"];
    let why = "the token of the identity `me` has ended, and there is no other: a person has to confirm the next one, \
               and the issuer gave nothing that gets it (a refresh token)";
    for command in [
        &["check", "--jobs", "1"][..],
        &["fuzz", "--time", "30", "--seed", "1", "--max-messages", "10", "--rate", "20", "--findings", &findings],
    ] {
        let arguments = [command, &of_agent, &["--report", &report]].concat();
        let ran = program::run(&arguments, &place.environment(&home, SECRET));
        assert_eq!(ran.code, 130, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stderr.matches(why).count(), 1, "{}", ran.stderr);
        let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!(report["stopped_kind"], "token-over");
        let results = report["results"].as_array().unwrap();
        let is_wrong = |result: &&serde_json::Value| result["verdict"] == "fail" || result["verdict"] == "broken";
        assert_eq!(results.iter().find(is_wrong), None);
        if command[0] == "check" {
            let kinds = |kind: &str| results.iter().filter(|result| result["reason_kind"] == kind).count();
            assert!(kinds("token-over") > 0 && kinds("credentials-wanted") == 0, "{report:#}");
        }
    }
    assert_eq!(refused.load(Ordering::Relaxed), 0, "no request came with a token that had ended");
}

/// Whoever took the other's token would find that everybody sees everything.
#[test]
fn two_people_of_one_client_are_two() {
    let (agent, tokens) = agent();
    let issuer = Issuer::start(Manner::default());
    let you = format!(
        "[identities.you.oauth]\ngrant = 'device-code'\nissuer = '{}'\nclient-id = 'suite'\n\
         client-secret = 'env:A2ASPEC_TEST_SECRET'",
        issuer.agent.url
    );
    let place = Place::new(&issuer.agent.url, "device-code", &you);
    let home = place.folder.path().display().to_string();
    let arguments = [&place.arguments(&agent.url)[..], &["--other", "you", "--only", "security/others-*"]].concat();
    let check = || program::run(&arguments, &place.environment(&home, SECRET));
    let asked: Vec<String> =
        check().stderr.lines().filter_map(|line| line.split(": open").next()).map(str::to_owned).take(2).collect();
    assert_eq!(asked, ["to be `me`", "to be `you`"]);
    assert_eq!(tokens.lock().unwrap().len(), 2);
    check();
    assert_eq!(issuer.grants().len(), 2, "each has its own that is kept");
    assert_eq!(tokens.lock().unwrap().len(), 2);
}

#[test]
fn a_person_says_yes_in_a_browser() {
    let (agent, _) = agent();
    let issuer = Issuer::start(Manner::default());
    let place = Place::new(&issuer.agent.url, "authorization-code", "");
    assert_passes(&place.check_with_a_browser(&agent.url));
    assert_eq!(issuer.grants(), ["authorization_code"]);
    let place = Place::new(&issuer.agent.url, "authorization-code", "scopes = ['denied']");
    let ran = place.check_with_a_browser(&agent.url);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("the issuer refuses: access_denied\n"), "{}", ran.stderr);
}

#[test]
fn why_there_is_no_token_is_told_without_secrets() {
    let (agent, tokens) = agent();
    let issuer = Issuer::start(Manner { repeats: true, ..Manner::default() });
    let url = issuer.agent.url.as_str();
    let refused = |place: &Place, secret: &str, code: i32, wanted: &str| {
        let ran = place.check_with(&agent.url, secret);
        assert_eq!(ran.code, code, "{wanted}: {}", ran.stderr);
        assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
        assert!(ran.stdout.is_empty() && !ran.stderr.contains("m4rked"), "{}{}", ran.stdout, ran.stderr);
    };
    let of = |issuer: &str, more: &str| Place::new(issuer, "client-credentials", more);
    refused(&of(url, ""), "m4rked-wrong", 2, "the issuer refuses: invalid_client (suite:***)");
    refused(&of(url, "scopes = ['odd']"), SECRET, 2, "the issuer refuses: invalid_scope (there is no scope odd)");
    refused(
        &of("http://127.0.0.1:9", ""),
        SECRET,
        3,
        "http://127.0.0.1:9/.well-known/openid-configuration does not answer",
    );
    refused(&of(&format!("{url}/other"), ""), SECRET, 3, "/other has no metadata (HTTP 404 at /other/.well-known");
    refused(&of(&url.replace("127.0.0.1", "localhost"), ""), SECRET, 3, "is that of \"http://127.0.0.1");
    refused(&of("http://id.example", ""), SECRET, 2, "the issuer is \"http://id.example\", which is no URL of https");
    // What answers otherwise is told as it is.
    for (status, wanted) in [
        (StatusCode::SERVICE_UNAVAILABLE, "/.well-known/openid-configuration answers with HTTP 503\n"),
        (StatusCode::FOUND, "answers with HTTP 302, which leads to https://id.example/login\n"),
    ] {
        let odd = Agent::serve(|_| async move {
            Router::new().fallback(move || async move { (status, [(LOCATION, "https://id.example/login")]) })
        });
        refused(&of(&odd.url, ""), SECRET, 3, wanted);
        let place = of("", "");
        let said = std::fs::read_to_string(&place.config).unwrap();
        let said = said.replace("issuer = ''", &format!("token-endpoint = '{}/token'", odd.url));
        std::fs::write(&place.config, said).unwrap();
        refused(&place, SECRET, 3, &format!("/token answers with HTTP {}", status.as_u16()));
    }
    let place = of(url, "");
    std::fs::create_dir(place.folder.file("a2aspec")).unwrap();
    std::fs::write(place.kept(), "m4rked").unwrap();
    refused(&place, SECRET, 2, "tokens.json cannot be read: expected value");
    let said = place.folder.write("said.toml", "as = 'me'\n[identities.me.oauth]\ngrant = 'device-code'\nissuer = 'https://id.example'\nclient-id = 'x'\nclient-secret = 'm4rked'\n");
    let place = Place { config: said, ..place };
    refused(
        &place,
        SECRET,
        2,
        "the client secret of the identity `me` comes from the environment, a file or a command",
    );
    assert!(tokens.lock().unwrap().is_empty());
}
