//! The wheel.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::tools::Tools;
use super::{LIMIT, ROOT, command, deadline, empty, page, run, small_program};

static TOOLS: Tools = Tools::of("packages/python");

/// Where the sources of the package are.
fn sources() -> PathBuf {
    Path::new(ROOT).join("packages/python")
}

/// A program of the environment with maturin, pytest and mypy.
fn tool(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/packages/python/.venv-tools/bin").join(name)
}

/// The programs of an environment with nothing but the wheel; nothing where it cannot be made here.
fn installed() -> Option<&'static Path> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        TOOLS.ready()?;
        let folder = empty("python-package");
        let wheel = wheel(&folder);
        let environment = folder.join("environment").display().to_string();
        run(command(tool("python"), &folder, &["-m", "venv", "--without-pip", &environment], &[]));
        let python = format!("{environment}/bin/python");
        let install = ["-m", "pip", "--python", &python, "install", "--quiet", "--no-index"];
        let more = ["--disable-pip-version-check", &wheel.display().to_string()];
        run(command(tool("python"), &folder, &[&install[..], &more].concat(), &[]));
        Some(folder.join("environment/bin"))
    };
    MADE.get_or_init(make).as_deref()
}

/// The wheel as maturin makes it of the built program.
fn wheel(folder: &Path) -> PathBuf {
    let program = small_program(folder).display().to_string();
    let out = folder.join("wheels");
    let cargo = Path::new(ROOT).join("tests/packages/python/cargo").display().to_string();
    let variables = [
        ("CARGO", cargo.as_str()),
        ("PROGRAM", &program),
        ("REAL_CARGO", env!("CARGO")),
        ("VERSION", env!("CARGO_PKG_VERSION")),
    ];
    // It is for this machine alone: the program may need libraries of its own.
    let arguments = ["build", "--profile", "dev", "--compatibility", "linux", "--out", &out.display().to_string()];
    run(command(tool("maturin"), &sources(), &arguments, &variables));
    let made = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    made.last().expect("there is a wheel")
}

/// Variables for programs of an environment that use the tools as well.
fn with_tools() -> [(&'static str, String); 2] {
    let ask = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
    let packages = run(command(tool("python"), &sources(), &ask, &[]));
    [("PYTHONPATH", packages.trim().to_owned()), ("PYTHONDONTWRITEBYTECODE", "1".to_owned())]
}

#[test]
fn the_wheel_installs_the_program() {
    let Some(programs) = installed() else { return };
    let version = format!("a2aspec {}", env!("CARGO_PKG_VERSION"));
    for (program, arguments) in [("a2aspec", &["--version"][..]), ("python", &["-m", "a2aspec", "--version"])] {
        assert_eq!(run(command(programs.join(program), programs, arguments, &[])).trim(), version);
    }
    run(command(programs.join("a2aspec"), programs, &["selftest", "--quick", "--profile", "1.0"], &[]));
    let unknown = ["-m", "a2aspec", "check", "--no-such-flag"];
    let wrong = deadline::run(&mut command(programs.join("python"), programs, &unknown, &[]), LIMIT).unwrap();
    assert_eq!(wrong.code, Some(2), "{wrong}");
}

#[test]
fn the_tests_of_the_package_pass() {
    let Some(programs) = installed() else { return };
    let folder = empty("python-package-tests");
    let temporary = folder.join("temporary").display().to_string();
    let arguments = ["-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "--basetemp", &temporary];
    let variables = with_tools();
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let told = run(command(programs.join("python"), &sources(), &arguments, &variables));
    assert!(told.contains(" passed"), "{told}");
}

#[test]
fn types_are_right() {
    let Some(_) = TOOLS.ready() else { return };
    let cache = empty("python-package-types").display().to_string();
    run(command(tool("python"), &sources(), &["-m", "mypy", "--cache-dir", &cache], &[]));
}

#[test]
fn the_page_is_followed() {
    let Some(programs) = installed() else { return };
    let folder = empty("python-package-page");
    let [packages, quiet] = with_tools();
    // A command that uses the tools by name, as an installation of them would have it.
    let pytest = format!("#!/bin/sh\nexec '{}' -m pytest \"$@\"\n", programs.join("python").display());
    let file = folder.join("pytest");
    std::fs::write(&file, pytest).unwrap();
    run(command("chmod", &folder, &["+x", "pytest"], &[]));
    page::follow("docs/python.md", &folder, &[&folder, programs], &[(packages.0, &packages.1), (quiet.0, &quiet.1)]);
}
