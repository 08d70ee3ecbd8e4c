//! The examples in the help texts, in one place, so that each can be tried.

use clap::Command;

/// Command lines, each with what it is for.
type Lines = &'static [(&'static str, &'static str)];

/// Those of each command, by its words.
const EXAMPLES: &[(&[&str], Lines)] = &[
    (
        &["check"],
        &[
            ("a2aspec check http://localhost:8080", "every case that applies"),
            ("a2aspec check http://localhost:8080 --only stream --only get/unknown-id", "some cases"),
            ("a2aspec check https://agent.example --bearer env:TOKEN", "with credentials"),
            ("a2aspec check http://localhost:8080 --replica http://localhost:8081", "replicas of one agent, in turn"),
            (
                "a2aspec check http://localhost:8080 --restart-command ./restart.sh --durable tasks",
                "what survives a restart",
            ),
            ("a2aspec check http://localhost:8080 --dry-run", "the plan of a run"),
            ("a2aspec check http://localhost:8080 --report terminal --report junit=a2aspec.xml", "in a pipeline"),
        ],
    ),
    (
        &["judge"],
        &[
            ("a2aspec judge traffic.har", "what a browser or a proxy recorded"),
            (
                "a2aspec judge monday.har tuesday.har --agent https://agent.example --report junit=a2aspec.xml",
                "one agent of several",
            ),
        ],
    ),
    (
        &["proxy"],
        &[
            ("a2aspec proxy --to http://localhost:8080", "what clients and the agent say to each other"),
            (
                "a2aspec proxy --to http://localhost:8080 --report junit=a2aspec.xml -- npm test",
                "the tests of a client",
            ),
            (
                "a2aspec proxy --to https://agent.example --listen 127.0.0.1:9400 --record traffic.har --for 600",
                "ten minutes, with an archive",
            ),
        ],
    ),
    (
        &["compare"],
        &[
            ("a2aspec compare http://localhost:8080 https://gateway.example/agent", "what the gateway changes"),
            ("a2aspec compare https://old.example https://new.example --only stream", "two releases of an agent"),
            (
                "a2aspec compare http://localhost:8080 https://gateway.example --gateway-bearer env:TOKEN --report json=compare.json",
                "a gateway with credentials of its own",
            ),
        ],
    ),
    (
        &["selftest"],
        &[
            ("a2aspec selftest", "each version over each binding"),
            ("a2aspec selftest --fault get/other-task --only get", "a report on an agent with a fault"),
        ],
    ),
    (
        &["client"],
        &[
            ("a2aspec client -- python3 wrapper.py", "the client behind this wrapper"),
            ("a2aspec client --only client/first-of-two-interfaces -- python3 wrapper.py", "one case"),
            ("a2aspec client --serve 9300 --urls urls.json", "a client that something else drives"),
        ],
    ),
    (&["doctor"], &[("a2aspec doctor http://localhost:8080", "before the first check")]),
    (
        &["watch"],
        &[
            ("a2aspec watch http://localhost:8080", "while you work on an agent"),
            ("a2aspec watch http://localhost:8080 --only stream --jobs 1", "only the streaming cases"),
        ],
    ),
    (
        &["ui"],
        &[
            ("a2aspec ui http://localhost:8080", "a page for your agent"),
            ("a2aspec ui --self", "the reference agent, to look around"),
        ],
    ),
    (
        &["init"],
        &[
            ("a2aspec init http://localhost:8080", "in the root of your repository"),
            ("a2aspec init http://localhost:8080 --ci gitlab", "with a pipeline of GitLab"),
            ("a2aspec init https://agent.example --bearer env:TOKEN --no-workflow", "only the settings"),
        ],
    ),
    (
        &["fuzz"],
        &[
            ("a2aspec fuzz http://localhost:8080 --time 60", "a minute"),
            (
                "a2aspec fuzz http://localhost:8080 --seed 7 --only GetTask",
                "the same requests, if the agent gives the same responses",
            ),
            ("a2aspec fuzz --kind sse --parser ./my-adapter", "a parser instead of an agent"),
        ],
    ),
    (
        &["trust"],
        &[
            ("a2aspec trust", "after you have read the a2aspec.toml of this folder"),
            ("a2aspec trust --list", "the files that you trust"),
        ],
    ),
    (&["export"], &[("a2aspec export acts acts-cases", "the cases that ACTS can express, and index.json")]),
    (&["replay"], &[("a2aspec replay a2aspec-findings http://localhost:8080", "whether findings are fixed")]),
    (
        &["agent"],
        &[
            ("a2aspec agent --port 8080", "every version at one port"),
            ("a2aspec agent --only 1.0 --fault get/other-task", "one version, with a fault"),
        ],
    ),
    (
        &["list"],
        &[
            ("a2aspec list --profile 1.0", "the cases of a version"),
            ("a2aspec list --area stream --level must", "the MUST cases of an area"),
            ("a2aspec list --extension timestamp", "the cases about an extension"),
            ("a2aspec list --requirements --format json", "for programs"),
        ],
    ),
    (
        &["explain"],
        &[
            ("a2aspec explain get/unknown-id", "a case"),
            ("a2aspec explain 1.0-3.1.3-3", "a requirement"),
            ("a2aspec explain 3.1.3 --profile 1.0", "a section"),
            ("a2aspec explain stream", "an area"),
        ],
    ),
    (&["coverage"], &[("a2aspec coverage --profile 1.0 --report html", "requirements and their cases")]),
    (&["profiles"], &[("a2aspec profiles", "all versions")]),
    (&["diff-spec"], &[("a2aspec diff-spec 0.3 1.0", "what an agent has to change")]),
    (
        &["merge"],
        &[(
            "a2aspec merge part-1.json part-2.json --report terminal --report junit=a2aspec.xml",
            "both parts of a run",
        )],
    ),
    (&["diff"], &[("a2aspec diff before.json after.json --format markdown", "for a comment")]),
    (
        &["baseline", "add"],
        &[(
            "a2aspec baseline add known.yaml get/unknown-id --profile 1.0 --binding grpc --until 2027-01-31",
            "one case, by hand",
        )],
    ),
    (
        &["baseline", "accept"],
        &[
            ("a2aspec baseline accept known.yaml a2aspec.json", "everything that fails"),
            ("a2aspec baseline accept known.yaml a2aspec.json --only push --until 2027-01-31", "one area, until a day"),
        ],
    ),
    (&["baseline", "prune"], &[("a2aspec baseline prune known.yaml a2aspec.json", "after a fix")]),
    (
        &["matrix"],
        &[
            ("a2aspec matrix weather.json travel.json --report html=matrix.html", "two agents, as a page"),
            (
                "a2aspec matrix weather.json travel.json --where Weather=fail --where Travel=pass",
                "what only one of them violates",
            ),
        ],
    ),
    (&["census"], &[("a2aspec census targets.toml --agents 8 --report html=census.html", "eight agents at once")]),
    (&["lint"], &[("a2aspec lint conformance", "your own cases")]),
    (
        &["schema"],
        &[
            ("a2aspec schema settings", "complete and check a2aspec.toml in your editor"),
            ("a2aspec schema report", "the members of a JSON report"),
        ],
    ),
    (&["corpus"], &[("a2aspec corpus inputs --kind sse --count 200", "inputs for a reader of event streams")]),
    (&["completions"], &[("a2aspec completions bash", "for ~/.local/share/bash-completion/completions/a2aspec")]),
    (&["man"], &[("a2aspec man check", "a page for `man -l`")]),
    (
        &["webhook", "listen"],
        &[(
            "a2aspec webhook listen --webhook-listen 0.0.0.0:9000 --count 3",
            "the next three deliveries, also from other machines",
        )],
    ),
    (
        &["card", "lint"],
        &[
            ("a2aspec card lint agent-card.json", "before you publish it"),
            ("a2aspec card lint cards --connect", "all cards of a folder, and whether their agents can be reached"),
        ],
    ),
    (
        &["card", "verify"],
        &[
            ("a2aspec card verify https://agent.example --jwks https://agent.example/jwks.json", "its signatures"),
            ("a2aspec card verify https://agent.example --lock card.lock.json", "what clients rely on, too"),
        ],
    ),
    (&["card", "lock"], &[("a2aspec card lock https://agent.example", "for a file such as card.lock.json")]),
    (&["card", "sign"], &[("a2aspec card sign agent-card.json --key key.pem --kid team-1", "with a key of your own")]),
    (&["card", "canonical"], &[("a2aspec card canonical agent-card.json", "the bytes that are signed")]),
];

/// The command line with its examples.
pub(super) fn with_examples(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (path, lines)| put(command, path, &text(lines)))
}

fn put(command: Command, path: &[&str], text: &str) -> Command {
    match path.split_first() {
        Some((name, rest)) => command.mut_subcommand(name, |below| put(below, rest, text)),
        None => {
            let more = command.get_after_help().map(|more| format!("{more}\n\n")).unwrap_or_default();
            command.after_help(format!("{more}{text}"))
        }
    }
}

fn text(lines: Lines) -> String {
    let lines = lines.iter().map(|(line, what)| format!("  {line}\n      {what}"));
    format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_examples_which_it_takes() {
        let program = super::super::command();
        for command in program.get_subcommands() {
            let name = command.get_name();
            let has_some = |path: &[&str]| EXAMPLES.iter().any(|(known, _)| *known == path);
            match command.has_subcommands() {
                false => assert!(has_some(&[name]), "{name}"),
                true => {
                    command.get_subcommands().for_each(|below| assert!(has_some(&[name, below.get_name()]), "{name}"))
                }
            }
        }
        for (path, lines) in EXAMPLES {
            for (line, what) in *lines {
                assert!(line.starts_with(&format!("a2aspec {}", path.join(" "))) && !what.is_empty(), "{line}");
                let read = program.clone().try_get_matches_from(line.split_whitespace());
                assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
            }
        }
    }
}
