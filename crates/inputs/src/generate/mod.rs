//! Values and texts made from choices: what the fuzzer sends, and what parsers are tested with.
//!
//! Enters: [`Choices`], which read decisions from bytes, whoever made these: a seed, a file, a fuzzing engine, a property test.
//! Leaves: values. All zeros is the simplest choice everywhere, so to make the bytes shorter or smaller is to make the value
//! simpler. Knows the schemas of the profiles, and nothing of agents.
//!
//! [`Values`] makes the wire objects of a version, right ones or such as have exactly one thing wrong:
//!
//! ```
//! use a2aspec_inputs::generate::{Choices, Values, seeded};
//! use a2aspec_model::profile;
//!
//! let profiles = profile::bundled()?;
//! let a2a_1_0 = profiles.last().expect("there are profiles");
//! let schemas = &a2a_1_0.dialects["json"].schemas;
//! let values = Values::new(schemas.clone());
//!
//! // Nothing chosen is the simplest message there is.
//! let simplest = values.valid("Message", &mut Choices::new(&[]));
//! assert_eq!(simplest.to_string(), r#"{"messageId":"a","role":"ROLE_USER","parts":[{"text":"a"}]}"#);
//!
//! // The bytes may come from anywhere: a seed, a fuzzing engine, a property test, a file.
//! let bytes = seeded(1, 0, 256);
//! let task = values.valid("Task", &mut Choices::new(&bytes));
//! assert!(schemas.violations("Task", &task).is_empty());
//!
//! // Something is wrong with this one, and `wrong` says what and where.
//! let (task, wrong) = values.wrong("Task", &mut Choices::new(&bytes)).expect("a task can be wrong");
//! assert!(!schemas.violations("Task", &task).is_empty(), "{wrong:?}");
//! # Ok::<(), a2aspec_wire::yaml::Mistake>(())
//! ```
//!
//! Every version has its own objects, and each thing that can be wrong has a name:
//!
//! ```
//! use a2aspec_inputs::generate::{Choices, Class, Values, seeded};
//! use a2aspec_model::profile;
//!
//! for a2a in profile::bundled()? {
//!     let dialect = &a2a.dialects[&a2a.facts.card.dialect];
//!     let (values, message) = (Values::new(dialect.schemas.clone()), dialect.wire_type("Message"));
//!     for number in 0..32 {
//!         let bytes = seeded(1, number, 256);
//!         let right = values.valid(message, &mut Choices::new(&bytes));
//!         assert!(dialect.schemas.violations(message, &right).is_empty());
//!
//!         // Exactly one required member is missing, and `pointer` says which.
//!         let made = values.wrong_in(message, Class::MissingMember, &mut Choices::new(&bytes));
//!         let Some((wrong, what)) = made else { continue };
//!         assert_eq!(what.class, Class::MissingMember);
//!         assert!(wrong.pointer(&what.pointer).is_none(), "{}: {wrong}", what.pointer);
//!     }
//! }
//! # Ok::<(), a2aspec_wire::yaml::Mistake>(())
//! ```

mod choices;
mod form;
mod forms;
pub mod free;
pub mod json;
pub mod number;
mod shrink;
pub mod text;
mod value;
mod wrong;

pub use choices::{Choices, seeded};
pub use shrink::shrink;
pub use value::Values;
pub use wrong::{Class, Wrong};
