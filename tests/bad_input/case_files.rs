//! Case files and catalogues with mistakes: each file in `tests/bad-cases` is one.

use super::{program, says, snapshot};

macro_rules! files {
    ($($name:ident: $file:literal;)*) => {
        $(#[test]
        fn $name() {
            let ran = says(concat!("case-file-", $file), &["lint", concat!("tests/bad-cases/", $file)]);
            assert_eq!(ran.code, 2, "{}", ran.stderr);
        })*

        /// The files that are tried here.
        const TRIED: &[&str] = &[$($file),*];
    };
}

files! {
    a_misspelled_key: "misspelled-key.yaml";
    a_key_that_has_another_name_now: "renamed-key.yaml";
    names_that_are_misspelled: "misspelled-names.yaml";
    keys_that_are_missing: "missing-keys.yaml";
    a_name_that_stands_twice: "names-twice.yaml";
    a_file_without_cases: "no-cases.yaml";
    a_mistake_in_the_syntax: "syntax.yaml";
    a_value_of_the_wrong_type: "wrong-type.yaml";
    an_id_that_is_taken: "duplicate-id.yaml";
    oracles_that_are_asked_wrongly: "oracle-arguments.yaml";
    an_oracle_that_is_not_there: "unknown-oracle.yaml";
    a_reference_to_nothing: "unknown-reference.yaml";
    a_pointer_that_is_none: "bad-pointer.yaml";
    pointers_that_lead_nowhere: "pointer-to-nothing.yaml";
    pointers_into_errors_that_lead_nowhere: "error-pointer-to-nothing.yaml";
    pointers_into_cards_that_lead_nowhere: "card-pointer-to-nothing.yaml";
    references_that_have_no_value: "reference-without-value.yaml";
    parameters_that_an_operation_does_not_have: "unknown-parameter.yaml";
    parameters_of_the_wrong_type: "parameter-of-the-wrong-type.yaml";
    parameters_that_are_missing: "parameter-missing.yaml";
    an_outcome_that_is_none: "unknown-outcome.yaml";
    an_operation_that_is_none: "unknown-operation.yaml";
    a_step_that_does_two_things: "two-acts.yaml";
    a_case_without_a_level: "no-level.yaml";
    a_stream_that_nobody_opened: "unopened-stream.yaml";
    steps_that_wait_for_none: "after.yaml";
    restarts_where_none_can_be: "restart.yaml";
    a_walk_over_everything: "endless-walk.yaml";
    a_condition_that_ends_no_walk: "stray-until.yaml";
    bytes_that_make_no_sense: "bytes-of-nothing.yaml";
    webhooks_that_lead_nowhere: "webhooks.yaml";
    extensions_that_nothing_asks_for: "extensions.yaml";
    something_that_is_no_yaml: "not-yaml.yaml";
    a_catalogue_with_another_name: "requirements/misnamed.yaml";
    a_catalogue_with_unknown_cases: "requirements/stray.yaml";
    a_catalogue_that_checks_what_nobody_sees: "requirements/unseen.yaml";
    a_catalogue_with_ids_that_became_others: "requirements/renamed.yaml";
    several_mistakes_at_once: "several";
}

#[test]
fn every_bad_file_is_tried() {
    let mut found: Vec<String> = Vec::new();
    for folder in ["", "requirements/"] {
        let path = format!("{}/tests/bad-cases/{folder}", env!("CARGO_MANIFEST_DIR"));
        let names = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        found.extend(names.map(|name| format!("{folder}{name}")).filter(|name| name != "requirements"));
    }
    for name in found {
        assert!(TRIED.contains(&name.as_str()), "no test reads {name}");
    }
}

#[test]
fn a_folder_that_is_not_there() {
    assert_eq!(says("case-folder-missing", &["lint", "tests/no-such-folder"]).code, 2);
}

#[test]
fn a_folder_without_cases() {
    let folder = program::Folder::new();
    let ran = program::run(&["lint", &folder.path().display().to_string()], &[]);
    assert_eq!(ran.code, 2);
    snapshot::check("case-folder-empty", &snapshot::told(&ran));
}

/// The same mistakes keep a check from starting.
#[test]
fn a_check_with_bad_cases() {
    let ran = says("check-with-bad-cases", &["selftest", "--cases", "tests/bad-cases/misspelled-key.yaml"]);
    assert_eq!(ran.code, 2);
}

/// What an editor reads is the schema that the lint reads.
#[test]
fn the_schema_of_case_files_is_printed() {
    let ran = program::run(&["schema", "cases"], &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, a2aspec::case::SCHEMA), "{}", ran.stderr);
}
