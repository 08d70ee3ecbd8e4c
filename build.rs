//! Tells the program how far it is optimized.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
}
