//! The package for npm.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use super::tools::{Tools, not_run};
use super::{LIMIT, ROOT, command, deadline, empty, page, run, small_program};

static TOOLS: Tools = Tools::of("packages/npm");

/// Where the sources of the package are.
fn sources() -> PathBuf {
    Path::new(ROOT).join("packages/npm")
}

fn manifest() -> Value {
    serde_json::from_str(&std::fs::read_to_string(sources().join("package.json")).unwrap()).unwrap()
}

/// A folder in which the package is installed from its archives; nothing where it cannot be made here.
fn installed() -> Option<&'static Path> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        TOOLS.ready()?;
        let folder = empty("npm-package");
        let platform = run(command("node", &folder, &["-p", "`${process.platform}-${process.arch}`"], &[]));
        let platform = platform.trim();
        if manifest()["optionalDependencies"][format!("@a2aspec/{platform}")].is_null() {
            not_run("the npm package", &format!("there is none for {platform}"));
            return None;
        }
        let program = small_program(&folder).display().to_string();
        let script = sources().join("platform.mjs").display().to_string();
        run(command("node", &folder, &[&script, &program, platform, "package"], &[]));
        // npm would take longer to compress the program than everything else here takes.
        run(command("tar", &folder, &["-cf", "platform.tar", "package"], &[]));
        let packed = run(command("npm", &folder, &["pack", "--silent", &sources().display().to_string()], &[]));
        std::fs::create_dir(folder.join("use")).unwrap();
        std::fs::write(folder.join("use/package.json"), r#"{"private":true,"type":"module"}"#).unwrap();
        // The packages of other platforms are not to be had, and not needed.
        let install = ["install", "--offline", "--no-audit", "--no-fund", "../platform.tar"];
        let archive = format!("../{}", packed.trim());
        run(command("npm", &folder.join("use"), &[&install[..], &[&archive]].concat(), &[]));
        Some(folder.join("use"))
    };
    MADE.get_or_init(make).as_deref()
}

#[test]
fn versions_are_those_of_the_program() {
    let manifest = manifest();
    let others = manifest["optionalDependencies"].as_object().unwrap();
    for (name, version) in others.iter().chain([(&"a2aspec".to_owned(), &manifest["version"])]) {
        assert_eq!(version, env!("CARGO_PKG_VERSION"), "{name}");
    }
}

#[test]
fn the_archives_install_the_program() {
    let Some(folder) = installed() else { return };
    let version = run(command("npx", folder, &["--offline", "a2aspec", "--version"], &[]));
    assert_eq!(version.trim(), format!("a2aspec {}", env!("CARGO_PKG_VERSION")));
    run(command("npx", folder, &["--offline", "a2aspec", "selftest", "--quick", "--profile", "1.0"], &[]));
    let wrong = ["--offline", "a2aspec", "check", "--no-such-flag"];
    let wrong = deadline::run(&mut command("npx", folder, &wrong, &[]), LIMIT).unwrap();
    assert_eq!(wrong.code, Some(2), "{wrong}");
}

#[test]
fn a_platform_without_its_package_is_reported() {
    let Some(folder) = installed() else { return };
    // Other tests use the folder: the package is copied without that of its platform.
    let alone = folder.with_file_name("alone");
    std::fs::create_dir(&alone).unwrap();
    let package = folder.join("node_modules/a2aspec").display().to_string();
    run(command("cp", &alone, &["-R", &package, "a2aspec"], &[]));
    let started = &mut command("node", &alone, &["a2aspec/bin/a2aspec.mjs", "--version"], &[]);
    let missing = deadline::run(started, LIMIT).unwrap();
    assert!(missing.code == Some(4) && missing.stderr.contains("is not installed"), "{missing}");
}

#[test]
fn the_tests_of_the_package_pass() {
    let Some(folder) = installed() else { return };
    let tests = folder.join("test");
    let _none = std::fs::remove_dir_all(&tests);
    std::fs::create_dir(&tests).unwrap();
    for entry in std::fs::read_dir(sources().join("test")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, tests.join(path.file_name().unwrap())).unwrap();
    }
    let told = run(command("node", folder, &["--test", "test"], &[]));
    assert!(told.contains("# fail 0") && !told.contains("# pass 0"), "{told}");
}

#[test]
fn types_are_right() {
    let Some(_) = TOOLS.ready() else { return };
    let folder = Path::new(ROOT).join("tests/packages/npm");
    run(command(folder.join("node_modules/.bin/tsc"), &folder, &["-p", "."], &[]));
}

#[test]
fn the_page_is_followed() {
    let Some(folder) = installed() else { return };
    // vitest is found beside the package, as an installation of it would have it.
    let tools = Path::new(ROOT).join("tests/packages/npm/node_modules");
    for name in ["vitest", ".bin/vitest"] {
        let link = folder.join("node_modules").join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(tools.join(name), link).unwrap();
        }
    }
    page::follow("docs/javascript.md", folder, &[], &[]);
}
