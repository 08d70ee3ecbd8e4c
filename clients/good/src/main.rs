//! The good client as a wrapper: `a2aspec client -- a2aspec-good-client`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match a2aspec_good_client::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
