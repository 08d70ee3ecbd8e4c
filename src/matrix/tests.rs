use jsonschema::Validator;
use serde_json::{Value, json};

use super::*;

/// A report in which two requirements of two areas came out like this.
fn report(agent: &str, day: &str, get: &str, list: &str) -> String {
    let result = |case: &str, verdict: &str| json!({ "case": case, "profile": "1.0", "binding": "jsonrpc", "level": "MUST", "verdict": verdict });
    let requirement = |id: &str, text: &str, verdict: &str, case: &str| {
        json!({
            "id": id, "profile": "1.0", "section": "3.1.3, 9.5", "level": "MUST", "text": text, "verdict": verdict,
            "cases": [case], "checks": [],
        })
    };
    let gate = if [get, list].contains(&"fail") { "fails" } else { "passes" };
    json!({
        "schema_version": 1,
        "tool": { "name": "a2aspec", "version": "0.1.0" },
        "started": format!("{day}T08:30:00.000Z"),
        "target": { "url": "http://127.0.0.1:9/", "name": agent, "cards": [], "interfaces": [] },
        "gate": { "fail_on": "must", "outcome": gate, "exit_code": 0 },
        "results": [result("get/existing", get), result("get/unknown-id", "pass"), result("list/order", list)],
        "requirements": [
            requirement("1.0-3.1.3-1", "GetTask gives the task", get, "get/existing"),
            requirement("1.0-3.1.10-1", "ListTasks has an order", list, "list/order"),
        ],
    })
    .to_string()
}

/// An agent with a history, another one, and one that could not be checked.
fn matrix() -> Matrix {
    let mut builder = Builder::default();
    // Only the newest run of one agent is of every case.
    let mut newest: Value = serde_json::from_str(&report("Echo", "2026-11-25", "pass", "fail")).unwrap();
    newest["conformance"] = json!([
        { "profile": "1.0", "part": "core", "outcome": "not-conformant", "kept": 1, "violated": ["1.0-3.1.10-1"] },
        { "profile": "1.0", "part": "streaming", "outcome": "conformant", "kept": 2 },
        { "profile": "1.0", "part": "push", "outcome": "not-declared", "kept": 0 },
        { "profile": "1.0", "part": "security", "outcome": "not-shown", "kept": 0, "untested": ["1.0-7.4-1"] },
    ]);
    let reports = [
        ("old.json", None, report("Echo", "2026-11-20", "fail", "pass")),
        ("new.json", Some("new.html"), newest.to_string()),
        ("other.json", Some("a b.html"), report("<i>Other</i>", "2026-11-24", "pass", "unreached")),
    ];
    for (file, page, text) in &reports {
        builder
            .add(Source { name: None, file, link: (*file).to_owned(), page: page.map(str::to_owned), text })
            .unwrap();
    }
    builder.not_checked("Silent", "http://silent.example", "nothing listens");
    builder.finish()
}

fn body(page: &str) -> &str {
    page.split("<main>\n").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap()
}

#[test]
fn side_by_side_as_a_page() {
    let page = html(&matrix());
    assert_eq!(crate::page::unbalanced(&page), None);
    assert!(!page.contains("<i>"));
    insta::assert_snapshot!(body(&page));
}

#[test]
fn side_by_side_as_a_text() {
    insta::assert_snapshot!(text(&matrix()));
}

#[test]
fn side_by_side_for_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/matrix.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let schema: Validator = jsonschema::validator_for(&schema).unwrap();
    let matrix: Value = serde_json::from_str(&matrix().json()).unwrap();
    let wrong: Vec<String> = schema.iter_errors(&matrix).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let [order, get] = matrix["requirements"].as_array().unwrap().as_slice() else { panic!("{matrix:#}") };
    assert_eq!((&order["id"], &get["id"]), (&json!("1.0-3.1.3-1"), &json!("1.0-3.1.10-1")));
    // The newest run of each agent counts, by name: one of them has none.
    assert_eq!(order["verdicts"], json!(["pass", "pass", null]));
    assert_eq!(get["verdicts"], json!(["unreached", "fail", null]));
}

#[test]
fn history_tells_what_has_changed() {
    let matrix = matrix();
    let [new, old] = matrix.agents[1].runs.as_slice() else { panic!("{matrix:#?}") };
    assert_eq!(
        (new.newly_violated.as_slice(), new.fixed.as_slice()),
        (&["1.0-3.1.10-1".to_owned()][..], &["1.0-3.1.3-1".to_owned()][..])
    );
    assert!(old.newly_violated.is_empty() && old.fixed.is_empty());
}

/// More agents than there is room for columns are counted.
#[test]
fn many_agents_are_counted() {
    let mut builder = Builder::default();
    for number in 0..30 {
        let get = if number < 2 { "fail" } else { "pass" };
        let text = report(&format!("Agent {number}"), "2026-11-25", get, "skipped");
        builder.add(Source { name: None, file: "x.json", link: "x.json".to_owned(), page: None, text: &text }).unwrap();
    }
    let page = html(&builder.finish());
    let row = page.split("<td>1.0-3.1.3-1</td>").nth(1).and_then(|rest| rest.split("</tr>").next()).unwrap();
    let counted =
        "<td class=\"number\">28</td><td class=\"number\">2</td><td class=\"number\"></td><td>Agent 0, Agent 1</td>";
    assert!(row.ends_with(counted), "{row}");
}

#[test]
fn what_is_no_report_is_refused() {
    let mut builder = Builder::default();
    let source = Source { name: None, file: "x.json", link: String::new(), page: None, text: "{}" };
    assert!(builder.add(source).unwrap_err().to_string().starts_with("x.json:1:"));
}

/// A matrix of reports: the name that the user gives, if any, and the text of each.
fn matrix_of(reports: &[(Option<&str>, String)]) -> Matrix {
    let mut builder = Builder::default();
    for (name, text) in reports {
        let source = Source { name: *name, file: "x.json", link: "x.json".to_owned(), page: None, text };
        builder.add(source).unwrap();
    }
    builder.finish()
}

/// As [`report`], of an agent at another place.
fn report_at(url: &str, agent: &str, day: &str, get: &str) -> String {
    let mut report: Value = serde_json::from_str(&report(agent, day, get, "pass")).unwrap();
    report["target"]["url"] = json!(url);
    report.to_string()
}

#[test]
fn no_two_agents_have_the_same_name() {
    let matrix = matrix_of(&[
        (None, report_at("http://a.example", "Echo", "2026-11-20", "pass")),
        (None, report_at("http://b.example", "Echo", "2026-11-20", "pass")),
        (None, report_at("http://c.example", "Echo (http://a.example)", "2026-11-20", "pass")),
    ]);
    let names: Vec<&str> = matrix.names().collect();
    assert_eq!(names, ["Echo (http://a.example)'", "Echo (http://b.example)", "Echo (http://a.example)"]);
    let page = html(&matrix);
    assert!(page.contains("<th scope=\"col\">Echo (http://b.example)</th>"), "{}", body(&page));
}

/// Nor do they in a terminal, where names are short.
#[test]
fn long_names_are_told_apart() {
    let long = "an agent whose name is much longer than there is room for";
    let reports = [1, 2].map(|number| (None, report(&format!("{long} {number}"), "2026-11-20", "pass", "pass")));
    let text = text(&matrix_of(&reports));
    assert!(text.contains(&format!("\n{long} 1  ")) && text.contains(&format!("\n{long} 2  ")), "{text}");
}

/// A name that the user gave names one agent, wherever it runs.
#[test]
fn runs_of_one_agent() {
    let runs = |names: [Option<&str>; 2]| {
        let [old, new] = names;
        let matrix = matrix_of(&[
            (new, report_at("http://b.example", "Echo", "2026-11-21", "pass")),
            (old, report_at("http://a.example", "Echo", "2026-11-20", "fail")),
        ]);
        let runs = matrix.agents.iter().map(|agent| (agent.url.clone(), agent.runs.len()));
        runs.collect::<Vec<_>>()
    };
    let [a, b] = ["http://a.example", "http://b.example"].map(str::to_owned);
    assert_eq!(runs([Some("mine"), Some("mine")]), [(b.clone(), 2)]);
    assert_eq!(runs([None, None]), [(a.clone(), 1), (b.clone(), 1)]);
    assert_eq!(runs([Some("Echo"), None]), [(a.clone(), 1), (b.clone(), 1)]);
    assert_eq!(runs([Some("old"), Some("new")]), [(b, 1), (a, 1)]);
}

#[test]
fn only_what_one_violates_and_another_meets() {
    let conditions = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Condition>>();
    let mut matrix = matrix();
    matrix.only(&conditions(&["Echo=fail", "<i>Other</i>=untested", "Silent=untested"])).unwrap();
    insta::assert_snapshot!(text(&matrix));
    let page = html(&matrix);
    assert!(!page.contains("<td>1.0-3.1.3-1</td><td>MUST") && !page.contains("<td>get</td>"), "{}", body(&page));
    assert!(
        page.contains("<p>1 of 2 requirements: Echo: fails, &lt;i&gt;Other&lt;/i&gt;: not tested"),
        "{}",
        body(&page)
    );
    let json: Value = serde_json::from_str(&matrix.json()).unwrap();
    assert_eq!(json["where"][0], json!({ "agent": "Echo", "result": "fail" }));
    assert_eq!(json["requirements"][0]["id"], "1.0-3.1.10-1");
    // The newest runs are not judged by what is left.
    assert!(text(&matrix).starts_with("Of 3 agents, 1 violated a MUST"));

    matrix.only(&conditions(&["Echo=pass"])).unwrap();
    assert!(text(&matrix).contains("\n0 of 2 requirements: "), "{}", text(&matrix));
    assert_eq!(matrix.only(&conditions(&["Ecko=pass"])), Err("Ecko".to_owned()));
}

#[test]
fn a_condition_is_a_name_and_a_result() {
    let condition: Condition = "a=b=untested".parse().unwrap();
    assert_eq!(condition.agent, "a=b");
    for wrong in ["", "fail", "=fail", "a=", "a=flaky"] {
        assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
    }
}

/// Many runs are a picture and a line of the same size as few.
#[test]
fn many_runs_are_a_trend() {
    let runs = |number: usize| {
        let runs = (0..number).map(|day| {
            let verdict = if day < 20 { "fail" } else { "pass" };
            (None, report("Echo", &format!("2026-11-{:02}", day + 1), verdict, "pass"))
        });
        matrix_of(&runs.collect::<Vec<_>>())
    };
    let text = text(&runs(22));
    let line = "Echo  MUST violations … → 1 → 1 → 1 → 1 → 1 → 1 → 1 → 1 → 0 → 0  (tested cases … → 3 → ";
    assert!(text.contains(line), "{text}");
    let picture = |number| trend::picture(&runs(number).agents[0]);
    assert_eq!((picture(22).matches("<circle").count(), picture(22).matches("class=\"middle\"").count()), (44, 4));
    insta::assert_snapshot!(picture(3));
}
