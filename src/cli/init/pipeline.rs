//! The pipelines that `a2aspec init` writes, each as docs/ci.md has it.
//!
//! Each is a file of its own, which is in the way of no pipeline that a repository has.

use super::content::Given;
use crate::cli::args::System;

/// The line that runs the check: what it is about stands in the settings.
const CHECK: &str =
    "a2aspec check --wait 60 --deadline 600 --report terminal --report junit=a2aspec.xml --report html=a2aspec.html";

/// The arguments of the check in a workflow. Commands of the service are read from standard output, so the report for people goes to
/// standard error.
const GITHUB_CHECK: &str = "--wait 60 --deadline 600 --report terminal=/dev/stderr --report github --report markdown=\"$GITHUB_STEP_SUMMARY\" --report html=a2aspec.html";

impl System {
    /// Where its file goes, below the root of a repository.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/a2aspec.yml",
            Self::Gitlab => ".gitlab/a2aspec.yml",
            Self::Jenkins => "Jenkinsfile.a2aspec",
        }
    }

    /// What stands in it.
    pub(super) fn pipeline(self, given: &Given) -> String {
        match self {
            Self::Github => github(given),
            Self::Gitlab => gitlab(given),
            Self::Jenkins => jenkins(given),
        }
    }

    /// What is left to do.
    pub(super) fn next(self) -> &'static str {
        match self {
            Self::Github => "the workflow does not know yet how your agent is started: see the comment in it\n",
            Self::Gitlab => {
                "the pipeline does not know yet how your agent is started, and .gitlab-ci.yml has to include it: see the comments in it\n"
            }
            Self::Jenkins => {
                "the pipeline does not know yet how your agent is started, and needs a job of its own: see the comments in it\n"
            }
        }
    }
}

/// The version of this program, which is the one that pipelines install.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The image of a container with pip.
const PYTHON: &str = "python:3.13-slim";

/// Installs that version without building it: the wheel contains the program. pip verifies its checksum by the index of the registry, in
/// which a version never changes.
fn install() -> String {
    format!("python3 -m venv .a2aspec && .a2aspec/bin/pip install a2aspec=={VERSION}")
}

fn github(given: &Given) -> String {
    let install = install();
    let mut out = format!(
        "# Checks the agent against the A2A protocol; docs/ci.md of a2aspec has more.
name: A2A conformance
on: [push, pull_request]
permissions:
  contents: read
jobs:
  conformance:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - run: {install}
      # Replace this line with commands that build and start your agent, so that it answers at the URL in a2aspec.toml.
      - run: ./start-agent &
      - run: .a2aspec/bin/a2aspec check {GITHUB_CHECK}
"
    );
    let variables: Vec<&str> = given.variables().collect();
    if !variables.is_empty() {
        out.push_str("        env:\n");
        for name in variables {
            out.push_str(&format!("          {name}: ${{{{ secrets.{name} }}}}\n"));
        }
    }
    out.push_str(
        "      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        if: always()
        with:
          name: a2aspec
          path: a2aspec.html
",
    );
    out
}

fn gitlab(given: &Given) -> String {
    let mut out = String::from(
        "# Checks the agent against the A2A protocol; docs/ci.md of a2aspec has more. In .gitlab-ci.yml:
#     include:
#       - local: .gitlab/a2aspec.yml
",
    );
    // Jobs have these in their environment without being told.
    for name in given.variables() {
        out.push_str(&format!("# The job needs {name}, a masked variable of the project (Settings, CI/CD).\n"));
    }
    let install = install();
    out.push_str(&format!(
        "conformance:
  image: {PYTHON}
  script:
    - {install}
    # Replace this line with commands that build and start your agent, so that it answers at the URL in a2aspec.toml.
    - ./start-agent &
    - .a2aspec/bin/{CHECK}
  artifacts:
    when: always
    paths: [a2aspec.html]
    reports:
      junit: a2aspec.xml
"
    ));
    out
}

fn jenkins(given: &Given) -> String {
    let mut out = String::from(
        "// Checks the agent against the A2A protocol; docs/ci.md of a2aspec has more. It is the script of a pipeline job of its own:
// \"Pipeline script from SCM\", with the script path Jenkinsfile.a2aspec. The node needs Python 3.10.
pipeline {
    agent any
",
    );
    let variables: Vec<&str> = given.variables().collect();
    if !variables.is_empty() {
        out.push_str("    environment {\n");
        for name in variables {
            let credential = name.to_ascii_lowercase().replace('_', "-");
            out.push_str(&format!("        {name} = credentials('{credential}')\n"));
        }
        out.push_str("    }\n");
    }
    let install = install();
    out.push_str(&format!(
        "    stages {{
        stage('conformance') {{
            steps {{
                sh '{install}'
                // Replace this line with commands that build and start your agent, so that it answers at the URL in a2aspec.toml.
                sh './start-agent &'
                sh '.a2aspec/bin/{CHECK}'
            }}
        }}
    }}
    post {{
        always {{
            junit 'a2aspec.xml'
            archiveArtifacts 'a2aspec.html'
        }}
    }}
}}
"
    ));
    out
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use serde_json::Value;

    use super::super::content::tests::given;
    use super::*;

    const RECIPES: &str = include_str!("../../../docs/ci.md");

    #[test]
    fn each_pipeline() {
        let written =
            System::value_variants().iter().map(|system| format!("{}:\n{}", system.file(), system.pipeline(&given())));
        insta::assert_snapshot!(written.collect::<Vec<_>>().join("\n---\n"));
    }

    #[test]
    fn the_workflow_is_the_recipe_of_the_documents() {
        let workflow: Value = crate::yaml::read("workflow", &github(&given())).unwrap();
        let step = &workflow["jobs"]["conformance"]["steps"][3];
        assert_eq!(step["env"]["AGENT_TOKEN"], "${{ secrets.AGENT_TOKEN }}");
        assert_eq!(step["env"]["AGENT_KEY"], "${{ secrets.AGENT_KEY }}");
        for line in ["uses", "run"].into_iter().flat_map(|key| {
            let steps = workflow["jobs"]["conformance"]["steps"].as_array().unwrap();
            steps.iter().filter_map(move |step| Some(format!("{key}: {}", step.get(key)?.as_str()?)))
        }) {
            assert!(RECIPES.contains(&line), "docs/ci.md has no {line}");
        }
    }

    #[test]
    fn the_job_of_gitlab_is_the_recipe_of_the_documents() {
        let text = gitlab(&given());
        let pipeline: Value = crate::yaml::read("pipeline", &text).unwrap();
        let job = &pipeline["conformance"];
        assert_eq!(job["artifacts"]["reports"]["junit"], "a2aspec.xml");
        assert!(text.contains("needs AGENT_TOKEN") && text.contains("needs AGENT_KEY"), "{text}");
        let script = job["script"].as_array().unwrap();
        assert_eq!(script.len(), 3);
        for line in script {
            assert!(RECIPES.contains(&format!("- {}\n", line.as_str().unwrap())), "docs/ci.md has no {line}");
        }
    }

    #[test]
    fn the_stage_of_jenkins_is_the_recipe_of_the_documents() {
        let text = jenkins(&given());
        assert!(text.contains("AGENT_TOKEN = credentials('agent-token')"), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        let bare = Given { header: Vec::new(), bearer: None, ..given() };
        assert!(!jenkins(&bare).contains("environment"));
        let said = text
            .lines()
            .map(str::trim)
            .filter(|line| ["sh ", "junit ", "archive"].iter().any(|word| line.starts_with(word)));
        let said: Vec<&str> = said.collect();
        assert_eq!(said.len(), 5);
        for line in said {
            assert!(RECIPES.contains(line), "docs/ci.md has no {line}");
        }
    }

    /// What they run is something that this program understands.
    #[test]
    fn the_line_that_checks_can_be_run() {
        let github = format!("a2aspec check {GITHUB_CHECK}");
        for line in [CHECK, &github] {
            let found = crate::cli::command().try_get_matches_from(line.split(' ')).unwrap();
            assert_eq!(found.subcommand_name(), Some("check"));
        }
    }

    /// A pipeline that is written today runs the same program tomorrow: it has no place for a name to be filled in, no action by a tag
    /// that can be moved, and installs one version by its checksum.
    #[test]
    fn each_pipeline_installs_one_version() {
        for system in System::value_variants() {
            let text = system.pipeline(&given());
            assert!(!text.contains("OWNER"), "{text}");
            let lines = text.lines().map(|line| line.trim_end_matches('\''));
            assert_eq!(lines.filter(|line| line.ends_with(&install())).count(), 1, "{text}");
            for line in text.lines().filter(|line| line.contains("uses: ")) {
                let (_, pin) = line.split_once('@').unwrap();
                let (hash, version) = pin.split_once(" # v").unwrap();
                assert!(hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
                assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{line}");
            }
        }
    }
}
