//! Compiles the protos of the profiles, reads the YAML that the crate carries, and rebuilds it when the data that it embeds changes.
//!
//! Leaves `DATA`, the folder of `schemas` and `cases`, for macros; and in `OUT_DIR`: `descriptors/<profile>.bin`, the `FileDescriptorSet` of each profile that has an `a2a.proto`,
//! with everything it imports; `descriptors.rs`, an expression of type `&[(&str, &[u8])]` that names them all; and `nodes.bin`, what
//! the YAML holds.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use a2aspec_wire::yaml::{node, pack};
use protox::Compiler;

const SCHEMAS: &str = "schemas";
const CASES: &str = "cases";
const PROTO: &str = "a2a.proto";

fn main() -> Result<(), Box<dyn Error>> {
    let data = data()?;
    env::set_current_dir(&data)?;
    println!("cargo::rerun-if-changed={}", data.join(SCHEMAS).display());
    println!("cargo::rerun-if-changed={}", data.join(CASES).display());
    println!("cargo::rustc-env=DATA={}", data.display());

    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::create_dir_all(out.join("descriptors"))?;
    let mut table = String::from("&[\n");
    for profile in profiles_with_protos()? {
        match compile(&profile) {
            Ok(descriptors) => fs::write(out.join(format!("descriptors/{profile}.bin")), descriptors)?,
            // Cargo shows this one line and fails the build.
            Err(error) => println!("cargo::error={SCHEMAS}/{error:?}"),
        }
        writeln!(table, r#"    ("{profile}", include_bytes!("descriptors/{profile}.bin")),"#)?;
    }
    table.push_str("]\n");
    fs::write(out.join("descriptors.rs"), table)?;
    fs::write(out.join("nodes.bin"), nodes()?)?;
    Ok(())
}

/// Where the data is. The links of this crate are folders in the published package, and texts where git makes no links.
fn data() -> Result<PathBuf, Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let folders = [here.join("../.."), here];
    let with_data = |folder: &PathBuf| folder.join(SCHEMAS).is_dir() && folder.join(CASES).is_dir();
    folders
        .into_iter()
        .find(with_data)
        .ok_or_else(|| format!("the folders `{SCHEMAS}` and `{CASES}` are missing").into())
}

/// What each file of YAML holds, by the name that messages have for it. One that is none is left to the program, which reports what
/// is wrong with it.
fn nodes() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut nodes: Vec<(String, node::Node)> = Vec::new();
    let mut waiting = vec![PathBuf::from(SCHEMAS), PathBuf::from(CASES)];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                waiting.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "yaml")
            && let Ok(node) = node::read(&fs::read_to_string(&path)?)
        {
            let name: Vec<_> =
                path.strip_prefix(SCHEMAS).unwrap_or(&path).iter().map(|part| part.to_string_lossy()).collect();
            nodes.push((name.join("/"), node));
        }
    }
    // The program is the same whatever the order of a folder.
    nodes.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(pack::pack(&nodes)?)
}

/// The folders below `schemas/` that hold an `a2a.proto`, in the order of their names.
fn profiles_with_protos() -> Result<Vec<String>, Box<dyn Error>> {
    let mut profiles = Vec::new();
    for entry in fs::read_dir(SCHEMAS)? {
        let entry = entry?;
        if entry.path().join(PROTO).is_file() {
            profiles.push(entry.file_name().into_string().map_err(|name| format!("{name:?} is no UTF-8"))?);
        }
    }
    profiles.sort_unstable();
    Ok(profiles)
}

/// Encoded by protox, because the typed set would lose the options: routes and REQUIRED flags.
fn compile(profile: &str) -> Result<Vec<u8>, protox::Error> {
    let mut compiler = Compiler::new([SCHEMAS])?;
    compiler.include_imports(true).include_source_info(false).open_file(Path::new(profile).join(PROTO))?;
    Ok(compiler.encode_file_descriptor_set())
}
