//! What the good client makes of odd answers (`clients/odd.py`), legal and broken ones.

use std::path::Path;
use std::process::Command;

fn probe(binding: &str) {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../odd.py");
    let mut command = Command::new("python3");
    command.arg(program).args(["--quick", "--binding", binding, "--", env!("CARGO_BIN_EXE_a2aspec-good-client")]);
    let Ok(output) = command.output() else {
        println!("odd answers not run: there is no python3");
        return;
    };
    let (told, trouble) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let failed: Vec<&str> = told.lines().filter(|line| !line.starts_with("pass ")).collect();
    assert!(output.status.success(), "{}\n{trouble}", failed.join("\n"));
    assert!(told.lines().filter(|line| line.starts_with("pass ")).count() > 100, "{told}");
}

#[test]
fn over_json_rpc() {
    probe("JSONRPC");
}

#[test]
fn over_http_json() {
    probe("HTTP+JSON");
}
