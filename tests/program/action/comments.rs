//! What the action writes on a pull request.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::Value;

use super::super::agent::Agent;
use super::super::proxy::{reference_agent, unchanged};
use super::ARGS;
use super::github::{GitHub, REPOSITORY, TOKEN};
use super::job::{Cache, Job};

/// An agent that keeps to the protocol.
fn right() -> Agent {
    reference_agent(|_, answer| unchanged(answer))
}

/// An agent with one error code that is wrong, and a text with it.
fn wrong(text: &'static str) -> Agent {
    reference_agent(move |_, answer| {
        let body = String::from_utf8_lossy(answer.body()).replace("-32001", "-32603");
        let Ok(mut read) = serde_json::from_str::<Value>(&body) else { return answer.map(Body::from) };
        if let (false, Some(message)) = (text.is_empty(), read.pointer_mut("/error/message")) {
            *message = text.into();
        }
        answer.map(|_| Body::from(read.to_string()))
    })
}

/// What the service says of each run.
fn context<'a>(github: &'a GitHub, run: &'a str) -> Vec<(&'a str, &'a str)> {
    let of_the_run = [("run_id", run), ("run_attempt", "1"), ("workflow", "A2A conformance"), ("job", "check")];
    let of_the_service = [("api_url", github.url()), ("repository", REPOSITORY), ("token", TOKEN)];
    [of_the_run.as_slice(), &of_the_service].concat()
}

/// A run for pull request 7.
fn pull(github: &GitHub, cache: &Cache, run: &str, inputs: &[(&str, &str)]) -> Job {
    let of_the_pull = [
        ("base_ref", "main"),
        ("ref_name", "7/merge"),
        ("event.pull_request.number", "7"),
        ("event.pull_request.head.sha", "c0ffee"),
    ];
    Job::run_for(cache, &[&context(github, run), &of_the_pull[..]].concat(), inputs, |_| ())
}

/// A run for a commit on a branch.
fn push(github: &GitHub, cache: &Cache, run: &str, branch: &str, inputs: &[(&str, &str)]) -> Job {
    Job::run_for(cache, &[&context(github, run)[..], &[("ref_name", branch)]].concat(), inputs, |_| ())
}

/// The inputs of the recipe.
fn inputs(agent: &Agent) -> [(&str, &str); 4] {
    [("url", &agent.url), ("args", ARGS), ("compare-with", "base"), ("comment", "true")]
}

/// How the check ended, and the comment behind it did not fail.
#[track_caller]
fn ended(job: &Job, code: &str) {
    assert_eq!((job.outputs["exit-code"].as_str(), job.last.code), (code, 0), "{}{}", job.last.stdout, job.last.stderr);
    assert_eq!(job.has_failed, code != "0", "{}", job.last.stderr);
}

#[test]
fn a_pull_request_has_one_comment_which_later_runs_edit() {
    let (github, cache) = (GitHub::start(), Cache::default());
    let (right, wrong) = (right(), wrong(""));
    // Nothing ran for the base branch so far.
    ended(&pull(&github, &cache, "1", &inputs(&right)), "0");
    let first = github.comments().join("\n---\n");
    for part in [
        "## a2aspec: the gate passes\n\n**no violations found**\n",
        "\nNo report of the base branch can be compared. These are the results alone.\n",
        "| MUST | 1 |",
        "\n`A2A conformance check` for c0ffee: [the run, with the whole report](file://",
        &format!("/{REPOSITORY}/actions/runs/1)\n"),
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    // Runs for branches have a report each, and no comment.
    let before = github.asked().len();
    for (run, branch, agent) in [("2", "main", &right), ("3", "other", &wrong)] {
        let job = push(&github, &cache, run, branch, &inputs(agent));
        assert!(job.last.stdout.contains("this run is for none"), "{}", job.last.stdout);
    }
    assert_eq!((github.asked().len(), cache.borrow().len()), (before, 2));
    let of_the_pull = |run: &str, agent: &Agent, code: &str| {
        ended(&pull(&github, &cache, run, &inputs(agent)), code);
        let comments = github.comments();
        assert_eq!(comments.len(), 1, "{comments:?}");
        assert_eq!(comments[0].lines().next(), first.lines().next());
        assert_eq!(comments[0].matches("[the run, with").count(), 1, "{}", comments[0]);
        comments[0].clone()
    };
    let broken = of_the_pull("4", &wrong, "1");
    assert!(broken.contains("## a2aspec: the gate fails\n\n**1 problem violates"), "{broken}");
    assert!(
        broken.contains("\n\n### Compared with the base branch: 1 problem new, 0 fixed, 0 as before\n"),
        "{broken}"
    );
    assert!(broken.contains("### New problems") && broken.contains("/actions/runs/4)"), "{broken}");
    // A second run of the branch counts, and not the first.
    push(&github, &cache, "5", "main", &inputs(&wrong));
    let mended = of_the_pull("6", &right, "0");
    assert!(mended.contains(": 0 problems new, 1 fixed, 0 as before\n"), "{mended}");
    // No run for a pull request is what others are compared with.
    assert_eq!(cache.borrow().len(), 3);
    assert_eq!(github.asked().iter().filter(|asked| asked.starts_with("POST")).count(), 1);
}

#[test]
fn each_check_edits_its_own_comment_alone() {
    let (github, cache, agent) = (GitHub::start(), Cache::default(), right());
    let named = |name| [&inputs(&agent)[..], &[("name", name)]].concat();
    let odd = "b` --> $(touch injected) \"@octocat\"";
    for name in ["", "a", odd] {
        ended(&pull(&github, &cache, "1", &named(name)), "0");
    }
    let made = github.comments();
    assert_eq!(made.len(), 3, "{made:?}");
    assert!(made[2].contains("\n`b --> $(touch injected) \"@octocat\"` for c0ffee"), "{}", made[2]);
    let marker = |text: &String| text.lines().next().unwrap_or_default().to_owned();
    assert!(made.iter().all(|text| marker(text).starts_with("<!-- a2aspec:") && marker(text).ends_with(" -->")));
    // Others comment, too: people who copy a marker, and on other pull requests.
    let busy = GitHub::start();
    busy.comment("8", &made[0], "Bot");
    busy.comment("7", &made[1], "User");
    (0..120).for_each(|_| busy.comment("7", "looks good", "User"));
    made.iter().for_each(|text| busy.comment("7", text, "Bot"));
    let before = busy.comments();
    ended(&pull(&busy, &cache, "2", &named("a")), "0");
    let changed: Vec<usize> =
        before.iter().zip(busy.comments()).enumerate().filter(|(_, (a, b))| *a != b).map(|(at, _)| at).collect();
    assert_eq!((busy.comments().len(), changed), (before.len(), vec![123]), "{:?}", busy.asked());
    // The profile is a part of the name of a check that has no other.
    ended(
        &pull(
            &github,
            &cache,
            "3",
            &[&inputs(&agent)[..], &[("profile", "1.0"), ("args", "--binding=jsonrpc\n--only=get/unknown-id")]]
                .concat(),
        ),
        "0",
    );
    assert_eq!(github.comments().len(), 4);
}

/// A pull request from a fork has a token that can only read. The gate decides whatever becomes of the comment.
#[test]
fn a_comment_that_cannot_be_posted_is_a_warning() {
    let (right, wrong, cache) = (right(), wrong(""), Cache::default());
    let fork = GitHub::that_refuses(StatusCode::FORBIDDEN);
    for (agent, code) in [(&right, "0"), (&wrong, "1")] {
        let job = pull(&fork, &cache, "1", &inputs(agent));
        ended(&job, code);
        let warning = "::warning::a2aspec could not comment on pull request 7: GitHub answered with 403. The job needs the permission";
        assert!(job.last.stdout.starts_with(warning), "{}", job.last.stdout);
    }
    for (github, status) in [(GitHub::that_refuses(StatusCode::UNPROCESSABLE_ENTITY), "422"), (GitHub::start(), "000")]
    {
        let gone = [("api_url", "http://127.0.0.1:1")];
        let more = if status == "000" { &gone[..] } else { &[] };
        let context =
            [&context(&github, "1")[..], &[("event.pull_request.number", "7"), ("base_ref", "main")], more].concat();
        let job = Job::run_for(&cache, &context, &inputs(&right), |_| ());
        ended(&job, "0");
        assert!(job.last.stdout.contains(&format!("GitHub answered with {status}\n")), "{}", job.last.stdout);
        assert_eq!(github.comments().len(), 0);
    }
    assert!(fork.comments().is_empty());
}

#[test]
fn without_the_input_no_comment_is_posted() {
    let (github, agent) = (GitHub::start(), right());
    pull(&github, &Cache::default(), "1", &inputs(&agent)[..3]);
    assert_eq!(github.asked(), Vec::<String>::new());
}

/// A difference of thousands of problems fits, and ends with a whole line and the link.
#[test]
fn a_comment_is_no_longer_than_the_service_takes() {
    let (github, cache, right, wrong) = (GitHub::start(), Cache::default(), right(), wrong(""));
    push(&github, &cache, "1", "main", &inputs(&wrong));
    let saved = cache.borrow()[0].2.clone();
    let mut report: Value = serde_json::from_slice(&saved).unwrap();
    let problem = report["problems"][0].clone();
    report["problems"] = (0..3_000)
        .map(|number| {
            let mut problem = problem.clone();
            problem["fingerprint"] = format!("{number:016x}").into();
            problem
        })
        .collect();
    cache.borrow_mut()[0].2 = report.to_string().into_bytes();
    ended(&pull(&github, &cache, "2", &inputs(&right)), "0");
    let comment = github.comments().join("\n---\n");
    assert!(
        comment.len() > 40_000 && comment.contains(" problems more: `--format json` lists all\n\n`A2A"),
        "{comment}"
    );
    // A report that this version cannot read is no report.
    cache.borrow_mut()[0].2 = b"{}".to_vec();
    ended(&pull(&github, &cache, "3", &inputs(&right)), "0");
    let alone = github.comments().join("\n---\n");
    assert!(alone.contains("No report of the base branch can be compared."), "{alone}");
}

/// Names, numbers and links in the text of an agent notify nobody, and end neither the comment of HTML nor a block.
#[test]
fn the_text_of_an_agent_is_code() {
    let text = "@octocat fixes #1 https://octocat.example <!-- a2aspec:x --> ` ``` $(touch octocat)\n```\n# @octocat\n</details>";
    let (github, cache, agent) = (GitHub::start(), Cache::default(), wrong(text));
    ended(&pull(&github, &cache, "1", &inputs(&agent)), "1");
    push(&github, &cache, "2", "main", &inputs(&right()));
    let alone = github.comments().join("\n");
    assert!(alone.contains("octocat"), "{alone}");
    ended(&pull(&github, &cache, "3", &inputs(&agent)), "1");
    for page in [alone, github.comments().join("\n")] {
        assert!(page.starts_with("<!-- a2aspec:") && !page.starts_with("<!-- a2aspec:x"), "{page}");
        let mut fence = None;
        for line in page.lines() {
            let ticks = line.chars().take_while(|c| *c == '`').count();
            match fence {
                Some(open) if line.trim_end() == "`".repeat(open) => fence = None,
                Some(_) => {}
                None if ticks >= 3 => fence = Some(ticks),
                // What is between backquotes, or between tags of code, is code.
                None => {
                    let line =
                        line.split("<code>").map(|part| part.rsplit("</code>").next().unwrap()).collect::<String>();
                    assert!(!line.split('`').step_by(2).any(|part| part.contains("octocat")), "{line}\n{page}");
                }
            }
        }
        assert_eq!(fence, None, "{page}");
    }
}

#[test]
fn a_check_without_results_is_compared_with_nothing() {
    let (github, cache, agent) = (GitHub::start(), Cache::default(), right());
    push(&github, &cache, "1", "main", &inputs(&agent));
    let job = pull(&github, &cache, "2", &[&inputs(&agent)[..], &[("fail-on", "everything")]].concat());
    ended(&job, "2");
    let comment = github.comments().join("\n");
    assert!(comment.contains("## a2aspec: the check did not start\n\nIts exit code is 2;"), "{comment}");
    // Nothing listens: the run has a report, and nothing to compare.
    let nothing = [("url", "http://127.0.0.1:1"), ("compare-with", "base"), ("comment", "true")];
    ended(&pull(&github, &cache, "3", &nothing), "3");
    ended(&push(&github, &cache, "4", "main", &nothing), "3");
    let comment = github.comments().join("\n");
    assert!(comment.contains("http://127.0.0.1:1") && !comment.contains("ompared"), "{comment}");
    assert_eq!((github.comments().len(), cache.borrow().len()), (1, 1));
}
