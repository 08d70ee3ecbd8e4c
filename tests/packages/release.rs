//! The archives of a release and what is made of them, by the scripts that the workflow runs.

use std::path::{Path, PathBuf};

use super::{ROOT, command, empty, run};
use crate::common::program;

/// Where a made-up release is.
const REPOSITORY: &str = "https://github.example/maker/a2aspec";

/// The systems for which the workflow builds.
fn targets() -> Vec<String> {
    let workflow = std::fs::read_to_string(Path::new(ROOT).join(".github/workflows/release.yml")).unwrap();
    let named = workflow.lines().filter_map(|line| line.split_once("target: ")).map(|(_, rest)| rest);
    let named = named.filter_map(|rest| rest.split([',', ' ', '}']).next());
    named.filter(|target| target.contains('-')).map(str::to_owned).collect()
}

/// The formula for Homebrew of a release with an archive for each system, whose checksums are made up.
pub fn formula() -> String {
    let folder = program::Folder::new();
    let version = env!("CARGO_PKG_VERSION");
    let sums = targets().into_iter().zip(1..);
    let sums = sums.map(|(target, number)| format!("{number:064}  a2aspec-{version}-{target}.tar.gz\n"));
    let sums = folder.write("SHA256SUMS", &sums.collect::<String>());
    run(command("python3", Path::new(ROOT), &["packages/homebrew.py", version, REPOSITORY, &sums], &[]))
}

#[test]
fn the_formula_names_archives_of_the_release() {
    let formula = formula();
    let made: Vec<String> =
        targets().iter().map(|target| format!("a2aspec-{}-{target}.tar.gz", env!("CARGO_PKG_VERSION"))).collect();
    let urls: Vec<&str> = formula.lines().filter_map(|line| line.trim().strip_prefix("url ")).collect();
    assert_eq!(urls.len(), 4, "{formula}");
    for url in urls {
        let (place, name) = url.trim_matches('"').rsplit_once('/').unwrap();
        assert_eq!(place, format!("{REPOSITORY}/releases/download/v{}", env!("CARGO_PKG_VERSION")));
        assert!(made.iter().any(|archive| archive == name), "{name} is none of {made:?}");
    }
}

/// What users copy installs the version that it is published with.
#[test]
fn recipes_install_this_version() {
    let jobs = ["check.yaml", "fuzz.yaml", "merge.yaml"].map(|job| format!("deploy/kubernetes/{job}"));
    for name in jobs.into_iter().chain(["docs/ci.md".to_owned()]) {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&name)).unwrap();
        let versions = text.split("a2aspec==").skip(1);
        let versions: Vec<&str> =
            versions.filter_map(|rest| rest.split(|c: char| c != '.' && !c.is_ascii_digit()).next()).collect();
        assert!(!versions.is_empty(), "{name} installs nothing");
        assert!(versions.iter().all(|version| *version == env!("CARGO_PKG_VERSION")), "{name}: {versions:?}");
    }
}

/// A wheel with nothing but a list of components, as maturin adds it.
fn wheel(folder: &Path) -> PathBuf {
    let script = "import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    components = '{\"bomFormat\": \"CycloneDX\", \"serialNumber\": \"urn:uuid:1\", \"metadata\": {\"timestamp\": \"2026-01-01\"}}'
    wheel.writestr('a2aspec.dist-info/sboms/a2aspec.cyclonedx.json', components)";
    let file = folder.join("a2aspec.whl");
    run(command("python3", folder, &["-c", script, &file.display().to_string()], &[]));
    file
}

#[test]
fn an_archive_has_everything_and_no_time() {
    let folder = empty("release-archive");
    let wheel = wheel(&folder).display().to_string();
    // The program itself would take longer to compress than everything else here takes.
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_a2aspec"));
    std::fs::write(folder.join("a2aspec"), script).unwrap();
    run(command("chmod", &folder, &["+x", "a2aspec"], &[]));
    let (made, program) = (folder.join("made").display().to_string(), folder.join("a2aspec").display().to_string());
    run(command("python3", Path::new(ROOT), &["packages/archive.py", &program, "a2aspec-x", &wheel, &made], &[]));
    let bytes = std::fs::read(folder.join("made/a2aspec-x.tar.gz")).unwrap();
    assert_eq!(bytes[4..8], [0; 4], "the time of the compressed file");
    let arguments = ["--utc", "-tvzf", "made/a2aspec-x.tar.gz"];
    let listed = run(command("tar", &folder, &arguments, &[]));
    let mut names = Vec::new();
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [mode, owner, _, day, hour, name] = words[..] else { panic!("{line}") };
        assert_eq!((owner, day, hour), ("0/0", "1970-01-01", "00:00"), "{line}");
        assert_eq!(mode == "-rwxr-xr-x", name == "a2aspec-x/a2aspec", "{line}");
        names.push(name.strip_prefix("a2aspec-x/").unwrap().to_owned());
    }
    assert!(names.is_sorted(), "{names:?}");
    let fixed = ["CHANGELOG.md", "LICENSE", "README.md", "a2aspec", "sbom.cdx.json", "completions/a2aspec.bash"];
    let commands = a2aspec::cli::command();
    let pages = commands.get_subcommands().map(|command| format!("man/a2aspec-{}.1", command.get_name()));
    for name in fixed.map(str::to_owned).into_iter().chain(pages) {
        assert!(names.contains(&name) || name == "man/a2aspec-help.1", "{name} is not in {names:?}");
    }
    let components = run(command("tar", &folder, &["-xzOf", "made/a2aspec-x.tar.gz", "a2aspec-x/sbom.cdx.json"], &[]));
    assert!(
        components.contains("CycloneDX") && !components.contains("2026") && !components.contains("uuid"),
        "{components}"
    );
}
