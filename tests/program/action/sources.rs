//! The sources by which the cache of the program is found: a source that is missing among them would leave an old program in use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The notes of Cargo about crates of this repository: each file in a folder, or each file of this name one folder below.
fn notes(folder: &Path, name: Option<&str>) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let ours = entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("a2a"));
    let noted = ours.filter_map(|path| match name {
        Some(name) => Some(path.join(name)),
        None => path.extension().is_some_and(|end| end == "d").then_some(path),
    });
    noted.filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// What the compiler and the build scripts have read for the libraries, below the root. A link counts as what it leads to.
fn read(root: &Path) -> BTreeSet<PathBuf> {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    // Tests read documents, too, and are no libraries.
    let compiled =
        notes(&deps, None).into_iter().filter(|note| note.contains(".rlib: ")).collect::<Vec<_>>().join("\n");
    let scripts = notes(&deps.parent().unwrap().join("build"), Some("output")).join("\n");
    let scripts = scripts.lines().filter_map(|line| Some(line.split_once("rerun-if-changed=")?.1));
    let files = compiled.split_whitespace().chain(scripts).filter_map(|file| root.join(file).canonicalize().ok());
    let own = files.filter_map(|file| Some(file.strip_prefix(root).ok()?.to_owned()));
    // Nothing is built from the settings of the linter, which notes what it reads in the same place.
    own.filter(|file| !file.starts_with("target") && !file.ends_with("clippy.toml")).collect()
}

#[test]
fn the_key_of_the_cache_has_all_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
    let text = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let action = text("action.yml");
    let listed = action.split_once("$(find ").and_then(|(_, rest)| rest.split_once(" -type f")).unwrap().0;
    let listed: Vec<&Path> = listed.split(' ').map(Path::new).collect();
    let gone: Vec<_> = listed.iter().filter(|known| !root.join(known).exists()).collect();
    assert!(gone.is_empty(), "{gone:?}");
    let mut needed = read(&root);
    assert!(needed.len() > 500 && needed.contains(Path::new("cases")), "Cargo keeps its notes elsewhere: {needed:?}");
    // Cargo reads the manifest of each member, too, and these files.
    let manifest: toml::Value = toml::from_str(&text("Cargo.toml")).unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    needed.extend(members.iter().map(|member| member.as_str().unwrap().into()));
    needed.extend(["Cargo.lock", "Cargo.toml", "build.rs", "rust-toolchain.toml"].map(PathBuf::from));
    let missing = needed.iter().filter(|file| !listed.iter().any(|known| file.starts_with(known)));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}
