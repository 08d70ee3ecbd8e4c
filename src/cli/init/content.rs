//! What stands in the settings that `a2aspec init` writes.

use super::super::credentials::is_a_place;
use crate::report::{Report, trigger_lines};

/// What the flags say of the agent.
pub(super) struct Given {
    pub url: String,
    pub card: Option<String>,
    pub base_url: Vec<String>,
    pub profile: Vec<String>,
    pub binding: Vec<String>,
    pub header: Vec<String>,
    pub bearer: Option<String>,
    pub timeout: Option<f64>,
}

/// The settings: what the flags say, and the triggers that the run has found.
pub(super) fn settings(given: &Given, report: &Report) -> String {
    let mut out = String::from(
        "# How a2aspec checks this agent. Flags override settings; docs/settings.md of a2aspec has every setting.\n",
    );
    let mut line = |name: &str, value: String| out.push_str(&format!("{name} = {value}\n"));
    line("url", quoted(&given.url));
    given.card.iter().for_each(|card| line("card", quoted(card)));
    for (name, values) in [("base-url", &given.base_url), ("profile", &given.profile), ("binding", &given.binding)] {
        if !values.is_empty() {
            line(name, format!("[{}]", values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", ")));
        }
    }
    given.bearer.iter().for_each(|place| line("bearer", quoted(place)));
    given.timeout.iter().for_each(|seconds| line("timeout", seconds.to_string()));
    out.push_str(
        "# The level from which a broken requirement fails the run: must, should or never.\nfail-on = \"must\"\n",
    );
    out.push_str(
        "# Failures that are known and do not fail the run; `a2aspec check --write-baseline known.yaml` writes them.\n",
    );
    out.push_str("# baseline = \"known.yaml\"\n");
    if !given.header.is_empty() {
        out.push_str("\n[headers]\n");
        given.header.iter().filter_map(|flag| flag.split_once(':')).for_each(|(name, value)| {
            out.push_str(&header(name.trim(), value.trim()));
        });
    }
    out.push_str(&triggers(report));
    out
}

/// A header, whose value stands in no file that goes into a repository.
fn header(name: &str, value: &str) -> String {
    match is_a_place(value) {
        true => format!("{} = {}\n", quoted(name), quoted(value)),
        false => format!(
            "# Name where its value comes from: an environment variable (env:NAME), a file (file:PATH)\n# or a command (command:LINE).\n# {} = \"env:NAME\"\n",
            quoted(name)
        ),
    }
}

/// The triggers whose own words do not do: what does, or a place for it.
fn triggers(report: &Report) -> String {
    if report.triggers.is_empty() {
        return "\n# The agent comes into its states by the words that every run sends first: it needs no [triggers].\n".to_owned();
    }
    let mut out = String::from("\n# What to send to bring the agent into its states.\n[triggers]\n");
    for (info, said, line) in trigger_lines(report) {
        // What nobody knows yet is for the reader to say.
        let mark = if info.text.is_some() { "" } else { "# " };
        out.push_str(&format!("# {said}\n{mark}{line}\n"));
    }
    out
}

impl Given {
    /// The environment variables that hold credentials.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        let of_headers = self.header.iter().filter_map(|flag| Some(flag.split_once(':')?.1.trim()));
        of_headers.chain(self.bearer.as_deref()).filter_map(|place| place.strip_prefix("env:")).map(str::trim)
    }
}

/// A string of TOML, and of YAML: one of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cli::config::Config;
    use crate::report::model::TriggerInfo;
    use crate::report::sample;

    pub(in crate::cli::init) fn given() -> Given {
        Given {
            url: "http://localhost:8080".to_owned(),
            card: Some("card.json".to_owned()),
            base_url: vec!["http://localhost:8080".to_owned(), "grpc=http://localhost:50051".to_owned()],
            profile: vec!["1.0".to_owned()],
            binding: Vec::new(),
            header: vec!["X-Api-Key: env:AGENT_KEY".to_owned(), "X-Team: s3cr3t".to_owned()],
            bearer: Some("env:AGENT_TOKEN".to_owned()),
            timeout: Some(30.0),
        }
    }

    fn report() -> Report {
        let info = TriggerInfo {
            trigger: "slow".to_owned(),
            text: Some("count to \"ten\"".to_owned()),
            message_id_prefix: None,
            is_example: true,
            cases: 12,
        };
        let unknown = TriggerInfo { trigger: "fail".to_owned(), text: None, is_example: false, ..info.clone() };
        Report { triggers: vec![info, unknown], ..sample::clean() }
    }

    #[test]
    fn the_settings() {
        insta::assert_snapshot!(settings(&given(), &report()));
    }

    #[test]
    fn the_settings_are_read_back() {
        let config: Config = toml::from_str(&settings(&given(), &report())).unwrap();
        assert_eq!((config.url.as_deref(), config.timeout), (Some("http://localhost:8080"), Some(30.0)));
        assert_eq!(config.headers.get("X-Api-Key").map(String::as_str), Some("env:AGENT_KEY"));
        assert_eq!((config.headers.len(), config.triggers.len(), config.base_url.len()), (1, 1, 2));
        let few = Given { header: Vec::new(), card: None, bearer: None, ..given() };
        assert!(toml::from_str::<Config>(&settings(&few, &sample::clean())).unwrap().triggers.is_empty());
    }
}
