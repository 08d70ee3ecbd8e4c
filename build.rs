//! Rebuilds the program when the data that it embeds changes.

fn main() {
    println!("cargo:rerun-if-changed=schemas");
    println!("cargo:rerun-if-changed=cases");
}
