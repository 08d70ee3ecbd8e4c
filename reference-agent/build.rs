//! Makes Rust of the protobuf definitions: what the agent serves in `$OUT_DIR/server`, and for the tests that call it
//! clients in `$OUT_DIR/client`. The definitions themselves, for reflection, become `$OUT_DIR/descriptors.bin`.
//!
//! Two versions have a package of one name with messages that differ. They cannot be compiled together, so there are
//! two sets of definitions; what becomes of the second is in the folder `draft` of all these. The messages of 1.1 are those of 1.0
//! with more fields, which 1.0 leaves unset: one definition is enough for both.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The definitions that the agent serves, relative to `schemas`, in sets, each with its folder.
const SETS: [(&str, &[&str]); 2] =
    [("", &["0.3/a2a.proto", "1.1-draft/a2a.proto"]), ("draft", &["1.0-draft/a2a.proto"])];

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // The link is a folder in the published package, and a text where git makes no links.
    let schemas = ["schemas", "../schemas"].map(|folder| here.join(folder)).into_iter().find(|folder| folder.is_dir());
    let schemas = schemas.ok_or("the folder `schemas` is missing")?;
    let protos = SETS.iter().flat_map(|(_, protos)| *protos).map(|proto| schemas.join(proto));
    for source in protos.chain([schemas.join("google/api")]) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for (folder, protos) in SETS {
        compile(&schemas, protos, &out, folder)?;
    }
    Ok(())
}

fn compile(schemas: &Path, protos: &[&str], out: &Path, folder: &str) -> Result<(), Box<dyn Error>> {
    let mut compiler = protox::Compiler::new([schemas])?;
    compiler.include_imports(true).open_files(protos)?;
    fs::create_dir_all(out.join(folder))?;
    // The encoded set keeps the options of rpcs and fields; the typed one knows no extensions.
    fs::write(out.join(folder).join("descriptors.bin"), compiler.encode_file_descriptor_set())?;
    let definitions = compiler.include_source_info(true).file_descriptor_set();

    for (side, is_server) in [("server", true), ("client", false)] {
        let folder = out.join(side).join(folder);
        fs::create_dir_all(&folder)?;
        tonic_prost_build::configure()
            .build_server(is_server)
            .build_client(!is_server)
            .build_transport(false)
            .out_dir(folder)
            .compile_fds(definitions.clone())?;
    }
    Ok(())
}
