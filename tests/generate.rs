//! Generated values are what they say they are: right ones satisfy their schema, wrong ones break it in the one place named.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../examples/values.rs"]
#[allow(dead_code, reason = "its main")]
mod example;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use a2aspec::generate::{Choices, Class, Values, seeded};
use a2aspec::profile::{self, Schemas};
use proptest::prelude::*;

struct Known {
    name: String,
    schemas: Arc<Schemas>,
    values: Values,
    kinds: Vec<String>,
}

/// Every dialect of every profile.
static ALL: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for profile in profile::bundled().unwrap() {
        for (dialect, facts) in &profile.dialects {
            let schemas = Arc::clone(&facts.schemas);
            let kinds = schemas.definitions().as_object().unwrap().keys().cloned().collect();
            let name = format!("{} {dialect}", profile.name());
            all.push(Known { name, values: Values::new(Arc::clone(&schemas)), schemas, kinds });
        }
    }
    all
});

#[test]
fn nothing_chosen_is_the_simplest_value_of_each_type() {
    let mut lines = String::new();
    for known in ALL.iter().filter(|known| ["0.3 json", "1.0 json"].contains(&known.name.as_str())) {
        for kind in ["Part", "Message", "Task", "TaskArtifactUpdateEvent", "AgentCard", "SecurityScheme"] {
            let value = known.values.valid(kind, &mut Choices::new(&[]));
            lines.push_str(&format!("{} {kind} {value}\n", known.name));
        }
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn every_type_of_every_version_is_made_and_the_simplest_is_right() {
    for known in ALL.iter() {
        for kind in &known.kinds {
            for bytes in [&[][..], &[0; 64], &[0xff; 4096]] {
                let value = known.values.valid(kind, &mut Choices::new(bytes));
                let violations = known.schemas.violations(kind, &value);
                assert!(violations.is_empty(), "{} {kind}: {value}\n{violations:#?}", known.name);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_right_value_satisfies_its_schema(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        for known in ALL.iter() {
            for kind in &known.kinds {
                let value = known.values.valid(kind, &mut Choices::new(&bytes));
                let violations = known.schemas.violations(kind, &value);
                prop_assert!(violations.is_empty(), "{} {}: {}\n{:#?}", known.name, kind, value, violations);
            }
        }
    }

    #[test]
    fn a_wrong_value_breaks_its_schema_where_it_says(bytes in proptest::collection::vec(any::<u8>(), 8..512)) {
        for known in ALL.iter() {
            for kind in &known.kinds {
                let Some((value, wrong)) = known.values.wrong(kind, &mut Choices::new(&bytes)) else { continue };
                let places: Vec<String> =
                    known.schemas.violations(kind, &value).iter().map(|violation| violation.place()).collect();
                prop_assert!(places.contains(&wrong.pointer), "{} {kind} {wrong:?}: {value}\n{places:?}", known.name);
            }
        }
    }
}

/// Every class is met, and hardly any choices find nothing wrong with what can be wrong.
#[test]
fn every_class_of_wrongness_is_met() {
    let mut met: BTreeMap<Class, usize> = BTreeMap::new();
    let mut barren = BTreeSet::new();
    for known in ALL.iter() {
        for kind in &known.kinds {
            let mut found = 0;
            for number in 0..40 {
                let bytes = seeded(3, number, 256);
                if let Some((_, wrong)) = known.values.wrong(kind, &mut Choices::new(&bytes)) {
                    *met.entry(wrong.class).or_default() += 1;
                    found += 1;
                }
            }
            if found < 36 {
                barren.insert(format!("{} {kind}: {found} of 40", known.name));
            }
        }
    }
    let missing: Vec<Class> = Class::ALL.into_iter().filter(|class| !met.contains_key(class)).collect();
    assert!(missing.is_empty(), "never met: {missing:?}; {met:?}");
    assert!(barren.is_empty(), "{barren:#?} {met:?}");
}

/// The example has a right value of every version, and several that have one thing wrong.
#[test]
fn the_example_shows_every_version() {
    let shown = example::values("Task").unwrap();
    for profile in profile::bundled().unwrap() {
        let own = shown.split("\n").skip_while(|line| !line.starts_with(&format!("{} ", profile.name()))).skip(1);
        let lines: Vec<&str> = own.take_while(|line| line.starts_with("  ")).collect();
        assert!(lines[0].starts_with("  right: {"), "{lines:?}");
        for class in ["missing-member", "wrong-type", "unknown-enum-value"] {
            assert!(
                lines.iter().any(|line| line.starts_with(&format!("  {class} at /"))),
                "{}: {lines:?}",
                profile.name()
            );
        }
    }
}
