//! The names that a settings file chooses from, for its schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::case::Trigger;
use crate::profile::{self, Binding};
use crate::report::gate::FailOn;
use crate::verdict::Level;

/// What has these names for keys, and values that `T` describes.
pub(super) fn keyed<N: JsonSchema, T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let (names, values) = (N::json_schema(generator), generator.subschema_for::<T>());
    json_schema!({ "type": "object", "propertyNames": names, "additionalProperties": values })
}

/// How `requirements` is written: a month, or a day.
pub(super) const DATE: &str = "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$";

/// How `min-tested` is written: a share, or a number of cases.
pub(super) const MIN_TESTED: &str = "^(([0-9]{1,2}|100) *%|[0-9]+)$";

/// A type that is one of these names in a schema.
macro_rules! choice {
    ($(#[doc = $doc:literal])* $name:ident, $names:expr) => {
        $(#[doc = $doc])*
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": $names })
            }
        }
    };
}

choice!(
    /// A version of the protocol.
    Version,
    profile::bundled().unwrap_or_default().iter().map(|profile| profile.name().to_owned()).collect::<Vec<_>>()
);
choice!(
    /// A binding.
    BindingName,
    Binding::ALL.map(|binding| binding.to_string())
);
choice!(
    /// A level of requirements.
    LevelName,
    Level::ALL.map(|level| level.to_string().to_lowercase())
);
choice!(
    /// A trigger.
    TriggerName,
    Trigger::ALL.map(Trigger::name)
);
choice!(
    /// The level from which a broken requirement fails the run.
    FailOnName,
    FailOn::ALL.map(FailOn::name)
);
