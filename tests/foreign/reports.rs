//! A real report with findings, in each form that others read.

use std::net::Ipv4Addr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_reference_agent::{Config, Fault};
use serde_json::Value;

use super::program;

/// In what the agent is wrong: its tasks, its card and its webhooks, as a MUST and a SHOULD.
const FAULTS: [&str; 4] =
    ["blocking/without-artifacts", "cancel/forgotten", "card/created", "capabilities/push-refused"];

/// A report as files: `report.json`, `report.html` and so on.
pub static FOUND: LazyLock<program::Folder> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let faults = FAULTS.iter().map(|id| Fault::find(id).unwrap()).collect();
    let config = Config { faults, slow: Duration::from_millis(300), ..Config::default() };
    let agent = runtime.block_on(a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into())).unwrap();
    let folder = program::Folder::new();
    let report = |format: &str, end: &str| format!("{format}={}", folder.file(&format!("report.{end}")));
    let reports = [
        report("json", "json"),
        report("html", "html"),
        report("junit", "xml"),
        report("sarif", "sarif"),
        report("tap", "tap"),
        report("markdown", "md"),
        report("har", "har"),
    ];
    let mut arguments = vec!["check", agent.url(), "--profile", "1.0", "--binding", "jsonrpc", "--shard", "1/1"];
    arguments.extend(reports.iter().flat_map(|report| ["--report", report]));
    let ran = program::run(&arguments, &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    folder
});

/// A page with so many results: those of a real run, again and again under other names where it has fewer.
pub fn with_results(wanted: usize) -> String {
    // Several tests have pages with as many.
    static PAGES: AtomicUsize = AtomicUsize::new(0);
    let text = std::fs::read_to_string(FOUND.file("report.json")).unwrap();
    let mut report: Value = serde_json::from_str(&text).unwrap();
    let results = report["results"].as_array().unwrap().clone();
    let many = (0..wanted).map(|number| {
        let mut result = results[number % results.len()].clone();
        let round = number / results.len();
        if round > 0 {
            result["case"] = format!("{}-{round}", result["case"].as_str().unwrap()).into();
        }
        result
    });
    report["results"] = many.collect();
    let name = format!("{wanted}-{}", PAGES.fetch_add(1, Ordering::Relaxed));
    let json = FOUND.write(&format!("{name}.json"), &report.to_string());
    let html = FOUND.file(&format!("{name}.html"));
    let ran = program::run(&["merge", &json, "--report", &format!("html={html}"), "--fail-on", "never"], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    html
}
