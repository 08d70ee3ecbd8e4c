//! `a2aspec completions` and `a2aspec man`: the command line as shells and manuals have it, both made of what clap knows.

use super::args::{CompletionsArgs, ManArgs};
use super::fail::Failure;
use super::{Exit, command};
use crate::diagnostic::near;

const NAME: &str = "a2aspec";

/// What a shell reads to complete the command line.
pub(super) fn completions(args: &CompletionsArgs) -> String {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), NAME, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// A page of the manual, in roff: that of the program, or of one of its commands.
pub(super) fn man(args: &ManArgs) -> Result<String, Failure> {
    let mut program = command();
    // What each command has of the program.
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| no_such(name, &program))?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|error| Failure::broken(error.to_string()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn no_such(name: &str, program: &clap::Command) -> Failure {
    let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let help = near::help(name, names.iter().copied());
    let help = help.unwrap_or_else(|| format!("there is {}", names.join(", ")));
    Failure::new(Exit::Usage, &format!("there is no command `{name}`"), Some(&help))
}

#[cfg(test)]
mod tests {
    use clap_complete::Shell;

    use super::*;
    use crate::diagnostic::words::printable_with_styles;

    #[test]
    fn every_shell_completes_every_command() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = completions(&CompletionsArgs { shell });
            for word in ["check", "merge", "fail-fast", "max-messages"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
            // It is printed as it is.
            assert_eq!(printable_with_styles(&script), script, "{shell}");
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let page = |command: Option<&str>| man(&ManArgs { command: command.map(str::to_owned) });
        let whole = page(None).unwrap();
        assert!(whole.contains(".TH a2aspec 1") && whole.contains("check") && whole.contains("Exit codes"), "{whole}");
        for command in command().get_subcommands() {
            let text = page(Some(command.get_name())).unwrap();
            assert!(text.contains(&format!(".TH a2aspec-{} 1", command.get_name())), "{text}");
            assert_eq!(printable_with_styles(&text), text);
        }
        assert!(page(Some("check")).unwrap().contains("max\\-messages"));
        let wrong = page(Some("chek")).unwrap_err().text;
        assert!(wrong.contains("there is no command `chek`") && wrong.contains("check"), "{wrong}");
    }
}
