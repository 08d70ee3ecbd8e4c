//! Makes Rust of the protobuf definitions: what the agent serves in `$OUT_DIR/server`, and for the tests that call it
//! clients in `$OUT_DIR/client`. The definitions themselves, for reflection, become `$OUT_DIR/descriptors.bin`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The definitions that the agent serves, relative to `schemas`.
const PROTOS: [&str; 2] = ["0.3/a2a.proto", "1.0/a2a.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    let schemas = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../schemas");
    for source in PROTOS.map(|proto| schemas.join(proto)).into_iter().chain([schemas.join("google/api")]) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut compiler = protox::Compiler::new([&schemas])?;
    compiler.include_imports(true).open_files(PROTOS)?;
    // The encoded set keeps the options of rpcs and fields; the typed one knows no extensions.
    fs::write(out.join("descriptors.bin"), compiler.encode_file_descriptor_set())?;
    let definitions = compiler.include_source_info(true).file_descriptor_set();

    for (side, is_server) in [("server", true), ("client", false)] {
        let folder = out.join(side);
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
