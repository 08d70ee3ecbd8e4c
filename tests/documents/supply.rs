//! Where the code comes from that a release, an image or a pipeline runs, and who may write what: nothing that others can move.

use std::path::Path;

use a2aspec::yaml;
use serde_json::Value;

use super::document;

/// Workflows and actions of this repository.
const FILES: [&str; 4] =
    [".github/workflows/ci.yml", ".github/workflows/release.yml", ".github/workflows/site.yml", "action.yml"];

/// Files from which images are built.
const IMAGES: [&str; 1] = ["Dockerfile"];

#[test]
fn workflows_trust_nothing_that_moves() {
    for file in FILES {
        let text = document(file);
        assert_eq!(faults(&text), Vec::<String>::new(), "{file}");
    }
    let recipes = document("docs/ci.md");
    let recipes: Vec<&str> = recipes.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(recipes.iter().any(|recipe| recipe.contains("uses: ")), "the recipes are read");
    for recipe in recipes {
        assert_eq!(faults(recipe), Vec::<String>::new(), "docs/ci.md:\n{recipe}");
    }
    for image in IMAGES {
        assert_eq!(unpinned_images(&document(image)), Vec::<String>::new(), "{image}");
    }
}

/// The lists above are whole.
#[test]
fn each_workflow_is_looked_at() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    for entry in std::fs::read_dir(folder).expect("there are workflows") {
        let name = entry.expect("it can be read").file_name();
        let name = format!(".github/workflows/{}", name.to_string_lossy());
        assert!(FILES.contains(&name.as_str()), "{name} is not looked at");
    }
}

/// No text for users has a name that they would have to fill in, and that a stranger could own.
#[test]
fn no_document_names_an_owner_to_be_filled_in() {
    let docs = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).expect("there are documents");
    let docs = docs.map(|entry| format!("docs/{}", entry.expect("it can be read").file_name().to_string_lossy()));
    let others = ["README.md", "action.yml", ".pre-commit-hooks.yaml", "Dockerfile", "CONTRIBUTING.md", "SECURITY.md"];
    for file in docs.filter(|file| file.ends_with(".md")).chain(others.map(str::to_owned)) {
        assert!(!document(&file).contains("OWNER"), "{file}");
    }
}

/// What is wrong with a workflow, an action, or a part of a pipeline.
fn faults(text: &str) -> Vec<String> {
    let mut faults = unpinned_actions(text);
    let read: Value = match yaml::read("workflow", text) {
        Ok(read) => read,
        Err(error) => return vec![error.message],
    };
    // Other systems have no permissions to give.
    let Some(jobs) = read["jobs"].as_object() else { return faults };
    if read["permissions"].is_null() {
        faults.push("it has no permissions, so that its token has those of the repository".to_owned());
    }
    if may_write(&read["permissions"]) {
        faults.push("its token can write in each job".to_owned());
    }
    faults.extend(jobs.iter().flat_map(|(name, job)| faults_of(name, job)));
    faults
}

/// What is wrong with a job.
fn faults_of(name: &str, job: &Value) -> Vec<String> {
    let steps: Vec<&Value> = job["steps"].as_array().into_iter().flatten().collect();
    let is_checkout = |step: &&&Value| step["uses"].as_str().is_some_and(|uses| uses.starts_with("actions/checkout@"));
    let mut faults = Vec::new();
    for _ in steps.iter().filter(is_checkout).filter(|step| step["with"]["persist-credentials"] != false) {
        faults.push(format!("{name}: the checkout keeps a token"));
    }
    let runs_project_code = steps.iter().any(|step| {
        let run = step["run"].as_str().unwrap_or_default();
        is_checkout(&step) || ["cargo ", "target/", "./"].iter().any(|word| run.contains(word))
    });
    if may_write_more_than_comments(&job["permissions"]) && runs_project_code {
        faults.push(format!("{name}: a job that can write has the code of the project"));
    }
    let has_token = ["github.token", "GITHUB_TOKEN"].iter().any(|token| job.to_string().contains(token));
    if has_token && !may_write(&job["permissions"]) {
        faults.push(format!("{name}: a job has a token that it does not need"));
    }
    faults
}

/// Whether permissions allow to change the repository or to act for it. Results of code scanning change neither.
fn may_write(permissions: &Value) -> bool {
    match permissions {
        Value::String(all) => all == "write-all",
        Value::Object(each) => each.iter().any(|(name, level)| level == "write" && name != "security-events"),
        _ => false,
    }
}

/// The same of a job that may comment on pull requests: one for a pull request from a fork is not allowed to, and only the step that
/// comments is given the token.
fn may_write_more_than_comments(permissions: &Value) -> bool {
    let mut permissions = permissions.clone();
    if let Some(each) = permissions.as_object_mut() {
        each.remove("pull-requests");
    }
    may_write(&permissions)
}

/// The actions that are named by what can be moved. One beside the workflow is part of the same commit.
fn unpinned_actions(text: &str) -> Vec<String> {
    let named = text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
    let is_pinned = |uses: &&str| {
        let Some((_, pin)) = uses.split_once('@') else { return uses.starts_with("./") };
        let Some((hash, version)) = pin.split_once(" # v") else { return false };
        is_hex(hash, 40) && version.starts_with(|first: char| first.is_ascii_digit())
    };
    named.filter(|uses| !is_pinned(uses)).map(str::to_owned).collect()
}

/// The images that are named without a digest, but for those that the file builds itself, and the empty one.
fn unpinned_images(text: &str) -> Vec<String> {
    let mut stages = vec!["scratch".to_owned()];
    let mut unpinned = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("FROM ")) {
        let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with("--")).collect();
        let image = words.first().copied().unwrap_or_default();
        let is_pinned = image.split_once("@sha256:").is_some_and(|(_, digest)| is_hex(digest, 64));
        if !is_pinned && !stages.iter().any(|stage| stage == image) {
            unpinned.push(image.to_owned());
        }
        stages.extend(words.get(2).map(|stage| (*stage).to_owned()));
    }
    unpinned
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

const PINNED: &str = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";

/// A workflow with these permissions, and a job with these and these steps.
fn workflow(permissions: &str, of_job: &str, steps: &str) -> String {
    format!("on: push\n{permissions}jobs:\n  build:\n    runs-on: ubuntu-24.04\n{of_job}    steps:\n{steps}")
}

#[test]
fn what_moves_is_seen() {
    let read = "permissions:\n  contents: read\n";
    let writes = "    permissions:\n      contents: write\n";
    let comments = "    permissions:\n      pull-requests: write\n";
    let safe = format!("      - uses: {PINNED}\n        with:\n          persist-credentials: false\n");
    let upload = "      - run: gh release upload v1 a\n        env:\n          GH_TOKEN: ${{ github.token }}\n";
    assert_eq!(faults(&workflow(read, "", &safe)), Vec::<String>::new());
    assert_eq!(faults(&workflow("permissions: {}\n", writes, upload)), Vec::<String>::new());
    assert_eq!(faults(&workflow(read, comments, &safe)), Vec::<String>::new());
    for (bad, expected) in [
        (workflow("", "", &safe), "no permissions"),
        (workflow("permissions: write-all\n", "", &safe), "in each job"),
        (workflow("permissions:\n  packages: write\n", "", &safe), "in each job"),
        (workflow("permissions:\n  pull-requests: write\n", "", &safe), "in each job"),
        (workflow(read, &format!("{comments}      contents: write\n"), &safe), "the code of the project"),
        (workflow(read, "", &format!("      - uses: {PINNED}\n")), "keeps a token"),
        (workflow(read, writes, &safe), "the code of the project"),
        (workflow(read, writes, "      - run: cargo build\n"), "the code of the project"),
        (workflow(read, "", upload), "does not need"),
        (workflow(read, "", "      - uses: actions/cache@v5\n"), "actions/cache@v5"),
        (workflow(read, "", "      - uses: actions/cache@27d5ce7 # v5.0.5\n"), "27d5ce7"),
        (workflow(read, "", &format!("      - uses: {}\n", PINNED.replace(" # v7.0.1", ""))), "3d3c42e5"),
    ] {
        let found = faults(&bad);
        assert!(found.iter().any(|fault| fault.contains(expected)), "{expected}: {found:?}\n{bad}");
    }
    let digest = "a".repeat(64);
    let image = format!("FROM --platform=linux rust:1@sha256:{digest} AS build\nFROM build\nFROM scratch\n");
    assert_eq!(unpinned_images(&image), Vec::<String>::new());
    assert_eq!(unpinned_images("FROM rust:1 AS a\nFROM a\nFROM b\nFROM c@sha256:12\n"), ["rust:1", "b", "c@sha256:12"]);
}
