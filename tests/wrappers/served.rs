//! Cases at URLs of their own (`client --serve`), for clients that no wrapper drives.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long the program may take to listen, or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run that waits for visitors.
struct Served {
    program: Child,
    report: PathBuf,
    urls: Vec<Value>,
}

impl Served {
    /// Starts one with these cases, which wait no longer than a second for further requests.
    fn start(name: &str, cases: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("served-{name}"));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let (urls, report) = (folder.join("urls.json"), folder.join("report.json"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_a2aspec"));
        command.args(["client", "--serve", "0", "--wait", "1", "--urls"]).arg(&urls);
        command.args(["--report", &format!("json={}", report.display())]);
        command.args(cases.iter().flat_map(|case| ["--only", case]));
        let program = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let began = Instant::now();
        let read = || serde_json::from_str(&std::fs::read_to_string(&urls).ok()?).ok();
        let urls = loop {
            if let Some(urls) = read() {
                break urls;
            }
            assert!(began.elapsed() < PATIENCE, "no URLs are written");
            std::thread::sleep(Duration::from_millis(20));
        };
        Self { program, report, urls }
    }

    fn url(&self, case: &str) -> String {
        let entry = self.urls.iter().find(|entry| entry["case"] == case);
        entry.and_then(|entry| entry["url"].as_str()).unwrap_or_else(|| panic!("{case} is not served")).to_owned()
    }

    /// The page in front of all cases.
    fn page(&self) -> String {
        let (page, _) = self.urls[0]["url"].as_str().unwrap().split_once("/c/").unwrap();
        format!("{page}/")
    }

    /// Waits for its end: the exit code, what it wrote, and verdict and reason of each case.
    fn end(mut self) -> (Option<i32>, String, Vec<[String; 3]>) {
        let began = Instant::now();
        let code = loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                break status.code();
            }
            assert!(began.elapsed() < PATIENCE, "the run does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut said = String::new();
        self.program.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&self.report).unwrap()).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let results = report["results"].as_array().into_iter().flatten();
        let results = results.map(|one| [&one["case"], &one["verdict"], &one["reason"]].map(text)).collect();
        (code, said, results)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ended = self.program.kill();
    }
}

fn browser() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

async fn card(url: &str) -> Value {
    let card = browser().get(format!("{url}/.well-known/agent-card.json")).send().await.unwrap();
    serde_json::from_slice(&card.bytes().await.unwrap()).unwrap()
}

/// Reads the card, and sends a message as A2A 1.0 wants it, but for a change.
async fn visit(url: &str, change: impl Fn(&mut Value)) {
    let card = card(url).await;
    let interface = card["supportedInterfaces"][0]["url"].as_str().unwrap();
    let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "complete" }] });
    let mut call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
    change(&mut call);
    let call = browser().post(interface).header("content-type", "application/json").body(call.to_string());
    assert_eq!(call.header("a2a-version", "1.0").send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_visitor_is_judged_by_what_it_sends() {
    let served = Served::start("right", &["client/message-has-an-id", "client/message-is-the-users"]);
    visit(&served.url("client/message-has-an-id"), |_| {}).await;
    visit(&served.url("client/message-is-the-users"), |call| {
        call["params"]["message"]["role"] = json!("ROLE_AGENT");
    })
    .await;
    let (code, said, results) = served.end();
    assert_eq!(code, Some(1), "{said}");
    let verdicts: Vec<[&str; 2]> = results.iter().map(|[case, verdict, _]| [case.as_str(), verdict.as_str()]).collect();
    assert_eq!(verdicts, [["client/message-has-an-id", "pass"], ["client/message-is-the-users", "fail"]]);
}

#[tokio::test]
async fn what_was_not_sent_is_no_pass() {
    let cases = ["client/message-has-an-id", "client/message-is-the-users", "client/no-tenant"];
    let served = Served::start("unsent", &cases);
    visit(&served.url(cases[2]), |_| {}).await;
    card(&served.url(cases[0])).await;
    let deleted = browser().delete(served.page()).send().await.unwrap();
    assert_eq!(deleted.status(), 202);
    let (code, said, results) = served.end();
    assert_eq!(code, Some(0), "{said}");
    let expected = [
        [cases[0], "unreached", "the client sent no SendMessage"],
        [cases[1], "skipped", "no client visited it"],
        [cases[2], "pass", ""],
    ];
    assert_eq!(results, expected.map(|result| result.map(str::to_owned)));
}

#[tokio::test]
async fn a_run_without_a_visitor_does_not_pass() {
    let served = Served::start("alone", &["client/message-has-an-id"]);
    browser().delete(served.page()).send().await.unwrap();
    let (code, said, _) = served.end();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("no client visited a case"), "{said}");
}

#[tokio::test]
async fn the_page_lists_the_cases_and_what_came() {
    let served = Served::start("page", &["client/message-has-an-id", "client/message-is-the-users"]);
    let page = async |kind: &str, host: Option<&str>| {
        let mut asked = browser().get(served.page()).header("accept", kind);
        if let Some(host) = host {
            asked = asked.header("host", host);
        }
        let answer = asked.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (_, before) = page("application/json", None).await;
    let before: Value = serde_json::from_str(&before).unwrap();
    assert_eq!(before[0]["steps"], json!([{ "do": "SendMessage", "text": "complete" }]));
    assert_eq!(before[0]["state"], "not visited");
    card(&served.url("client/message-has-an-id")).await;
    let (status, html) = page("text/html", None).await;
    assert_eq!(status, 200);
    let came = "GET /c/client/message-has-an-id/.well-known/agent-card.json: 200";
    assert!(html.contains("SendMessage <code>complete</code>") && html.contains(came), "{html}");
    // Pages of other names lead nowhere (DNS rebinding).
    assert_eq!(page("text/html", Some("elsewhere.example")).await.0, 421);
}

#[test]
fn an_address_is_one_that_clients_reach() {
    for (address, message) in [
        ("0.0.0.0:9000", "the URLs of the cases begin with the host"),
        ("[::]:9000", "the URLs of the cases begin with the host"),
        ("x", "`x` is not [HOST:]PORT"),
        ("127.0.0.1:70000", "`127.0.0.1:70000` is not [HOST:]PORT"),
    ] {
        let ran = super::program::run(&["client", "--serve", address], &[]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
    let ran = super::program::run(&["client", "--serve", "0", "--only", "client/version-on-lists"], &[]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("no selected case can be driven without a wrapper"), "{}", ran.stderr);
}
