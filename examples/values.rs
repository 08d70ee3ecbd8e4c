//! Values of a type in every version of A2A: the simplest, and for each thing that can be wrong with it one in which only that is
//! wrong: `cargo run --example values [-- TYPE]`, where TYPE is `Task` unless you name another.

use std::error::Error;
use std::sync::Arc;

use a2aspec::generate::{Choices, Class, Values, seeded};
use a2aspec::profile;

/// The type of the command line.
pub fn main() -> Result<(), Box<dyn Error>> {
    let kind = std::env::args().nth(1).unwrap_or_else(|| "Task".to_owned());
    print!("{}", values(&kind)?);
    Ok(())
}

/// A line for each value.
pub fn values(kind: &str) -> Result<String, Box<dyn Error>> {
    let mut lines = String::new();
    for a2a in profile::bundled().map_err(|mistake| mistake.message)? {
        let dialect = a2a.dialects.get(&a2a.facts.card.dialect).ok_or("every version is written as JSON")?;
        // The version may call the type by another name.
        let own = dialect.wire_type(kind);
        let values = Values::new(Arc::clone(&dialect.schemas));
        let simplest = values.valid(own, &mut Choices::new(&[]));
        lines.push_str(&format!("{} {own}\n  right: {simplest}\n", a2a.name()));
        for class in Class::ALL {
            // Not every choice of bytes finds a place where this can be wrong: the first few that do.
            let mut made =
                (0..64).filter_map(|number| values.wrong_in(own, class, &mut Choices::new(&seeded(1, number, 64))));
            let Some((value, wrong)) = made.next() else { continue };
            assert!(!dialect.schemas.violations(own, &value).is_empty());
            lines.push_str(&format!("  {class} at {}: {}\n", wrong.pointer, class.reason()));
        }
    }
    Ok(lines)
}
