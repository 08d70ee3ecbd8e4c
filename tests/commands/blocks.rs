//! The command blocks of a page, with what it shows of their output.

/// Programs by which an indented block is known to be commands.
const PROGRAMS: [&str; 17] = [
    "$",
    ".ci/run",
    "A2ASPEC_",
    "a2a-reference-agent",
    "a2aspec",
    "cargo",
    "curl",
    "docker",
    "git",
    "mkdir",
    "node",
    "npm",
    "npx",
    "openssl",
    "pip",
    "pytest",
    "python3",
];

/// Commands that serve until they are stopped.
const SERVERS: [&str; 2] = ["a2aspec agent", "a2aspec webhook listen"];

/// Commands that are run together, and what the page says of them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Block {
    /// The line of the page on which it begins, from 1.
    pub line: usize,
    /// The commands, as they are written.
    pub text: String,
    /// What makes what they need, in the order of the page.
    pub before: String,
    /// How they end.
    pub exit: i32,
    /// Why they are not run.
    pub reason: Option<String>,
    /// The file that the block is, where it is no commands.
    pub file: Option<String>,
    /// Flags of `a2aspec agent`, for an agent that only this block uses.
    pub agent: Option<String>,
    /// Lines of their output, in their order.
    pub shown: Vec<String>,
}

impl Block {
    /// What the shell runs: servers are stopped once they serve.
    pub fn script(&self) -> String {
        if let Some(file) = &self.file {
            return format!("mkdir -p \"$(dirname {file})\" && cat >{file} <<'END'\n{}\nEND\n", self.text);
        }
        let mut script = self.before.clone();
        for line in self.text.lines() {
            let is_server = SERVERS.iter().any(|server| line.starts_with(server)) && !line.contains("--list-faults");
            let prefix = if is_server && !line.trim_end().ends_with('&') { "serves " } else { "" };
            script.push_str(&format!("{prefix}{line}\n"));
        }
        script
    }

    /// A line that is shown, and is not in the output behind the ones before it.
    pub fn missing_in(&self, output: &str) -> Option<&str> {
        let mut lines = output.lines().map(str::trim);
        let shown = self.shown.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && *line != "...");
        let mut shown = shown;
        shown.find(|wanted| !lines.any(|line| line == *wanted))
    }
}

/// The command blocks of a page.
///
/// # Errors
/// A comment that cannot be read, with its line.
pub fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found: Vec<Block> = Vec::new();
    let mut marks = Block::default();
    let mut lines = page.lines().zip(1..).peekable();
    // Whether the last thing on the page was a block of commands.
    let mut is_behind = false;
    let mut is_behind_blank = true;
    while let Some((text, line)) = lines.next() {
        if text.trim().is_empty() {
            is_behind_blank = true;
            continue;
        }
        if let Some(comment) = text.strip_prefix("<!-- ") {
            let mut comment = comment.to_owned();
            while !comment.trim_end().ends_with("-->") {
                let (more, _) = lines.next().ok_or_else(|| format!("{line}: the comment has no end"))?;
                comment.push('\n');
                comment.push_str(more);
            }
            marks
                .mark(comment.trim_end().trim_end_matches("-->").trim())
                .map_err(|error| format!("{line}: {error}"))?;
            continue;
        }
        let block = if let Some(language) = text.trim_start().strip_prefix("```") {
            let inner: Vec<&str> =
                lines.by_ref().map(|(text, _)| text).take_while(|text| !text.trim_start().starts_with("```")).collect();
            if let ("text", true, Some(last)) = (language, is_behind, found.last_mut()) {
                last.shown = inner.iter().map(|line| (*line).to_owned()).collect();
            }
            match language {
                "sh" => Some(inner.join("\n")),
                _ if marks.file.is_some() => Some(inner.join("\n")),
                "yaml" | "groovy" => of_pipeline(&inner),
                _ => None,
            }
        } else if let Some(first) = text.strip_prefix("    ").filter(|_| is_behind_blank) {
            let mut inner = vec![first];
            while let Some((text, _)) = lines.next_if(|(text, _)| text.starts_with("    ")) {
                inner.push(&text[4..]);
            }
            PROGRAMS.iter().any(|program| is_of(first, program)).then(|| inner.join("\n"))
        } else {
            None
        };
        is_behind = block.is_some();
        is_behind_blank = false;
        let marks = std::mem::take(&mut marks);
        match block {
            Some(text) => found.push(Block { line, text, ..marks }),
            None if marks != Block::default() => return Err(format!("{line}: the comment stands before no commands")),
            None => {}
        }
    }
    Ok(found)
}

/// The commands of a pipeline that call this program, one after the other.
fn of_pipeline(lines: &[&str]) -> Option<String> {
    let call = |line: &&str| {
        let begin = ["a2aspec check ", "a2aspec merge "].iter().find_map(|command| line.find(command))?;
        Some(line[begin..].trim_end_matches('\'').to_owned())
    };
    let calls: Vec<String> = lines.iter().filter(|line| !line.trim().starts_with('#')).filter_map(call).collect();
    (!calls.is_empty()).then(|| calls.join("\n"))
}

/// Whether a line calls the program.
fn is_of(line: &str, program: &str) -> bool {
    line.strip_prefix(program).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || program.ends_with('_'))
}

impl Block {
    /// Reads what a comment says of the block behind it. Other comments say nothing.
    fn mark(&mut self, comment: &str) -> Result<(), String> {
        if let Some(reason) = comment.strip_prefix("not run:") {
            self.reason = Some(reason.trim().to_owned());
        } else if let Some(exit) = comment.strip_prefix("exit:") {
            self.exit = exit.trim().parse().map_err(|_| format!("{exit:?} is not an exit code"))?;
        } else if let Some(file) = comment.strip_prefix("file:") {
            self.file = Some(file.trim().to_owned());
        } else if let Some(flags) = comment.strip_prefix("agent:") {
            self.before.push_str(&format!("starts {}\n", flags.trim()));
            self.agent = Some(flags.trim().to_owned());
        } else if let Some(before) = comment.strip_prefix("before:") {
            self.before.push_str(&format!("{}\n", before.trim()));
        }
        Ok(())
    }
}

#[test]
fn blocks_are_read() {
    let page = "\
Text

    a2aspec check
    a2aspec agent --port 8080

- a list
    a2aspec is no block here

<!-- exit: 1 -->
<!-- before: mkdir a
touch b -->

```sh
false
```

```text
one
...
three
```

    {\"json\": true}

```yaml
script:
  - .a2aspec/bin/a2aspec check
  - .a2aspec/bin/a2aspec check --quick
```

<!-- not run: no network -->
    cargo test

<!-- agent: --only 1.0 -->
<!-- before: touch a -->
    a2aspec check
";
    let found = blocks(page).unwrap();
    let said: Vec<_> = found.iter().map(|block| (block.line, block.exit, block.reason.as_deref())).collect();
    assert_eq!(said, [(3, 0, None), (13, 1, None), (25, 0, None), (32, 0, Some("no network")), (36, 0, None)]);
    assert_eq!(found[0].script(), "a2aspec check\nserves a2aspec agent --port 8080\n");
    assert_eq!(found[1].script(), "mkdir a\ntouch b\nfalse\n");
    assert_eq!(found[1].missing_in("zero\none\ntwo\n three\n"), None);
    assert_eq!(found[1].missing_in("three\none\n"), Some("three"));
    assert_eq!(found[2].text, "a2aspec check --quick");
    assert_eq!(found[4].script(), "starts --only 1.0\ntouch a\na2aspec check\n");
    assert!(blocks("<!-- exit: 1 -->\ntext\n").is_err() && blocks("<!-- exit: one -->\n").is_err());
}
