//! Cases about clients name faults and scripts that there are.

use a2a_reference_agent::{Fault, Variation};

use crate::case::visit::Asked;
use crate::diagnostic::shell;

#[test]
fn every_agent_of_a_case_can_be_made() {
    let library = crate::suite::library(None).unwrap();
    let mut seen = 0;
    for case in library.cases.values() {
        let Some(visit) = case.visit() else { continue };
        seen += 1;
        if let Some(fault) = &visit.agent.fault {
            assert!(Fault::find(fault).is_ok(), "{}: {fault}", case.id);
        }
        if let Some(id) = &visit.agent.variation {
            let variation = Variation::find(id).unwrap_or_else(|error| panic!("{}: {error}", case.id));
            assert!(!variation.is_of_connections(), "{}: agents share their connections", case.id);
        }
        let scripted = visit.agent.script.keys().filter(|asked| **asked != Asked::Card);
        for asked in scripted {
            let steps = visit.steps.iter().flat_map(|step| step.word.may_ask());
            assert!(steps.into_iter().any(|of| of == *asked), "{}: nobody asks for {asked:?}", case.id);
        }
    }
    assert!(seen > 30, "{seen} cases are about clients");
}

#[test]
fn no_run_of_agents_has_cases_about_clients() {
    let library = crate::suite::library(None).unwrap();
    for profile in crate::profile::bundled().unwrap() {
        assert!(library.applicable(profile.name()).iter().all(|(case, _)| case.visit().is_none()));
        assert!(library.applicable_to_clients(profile.name()).iter().all(|(case, _)| case.visit().is_some()));
    }
}

#[test]
fn a_command_is_shown_as_a_shell_takes_it() {
    let words = ["python3", "my wrapper.py", "", "it's"].map(str::to_owned);
    assert_eq!(shell::line(&words), r"python3 'my wrapper.py' '' 'it'\''s'");
}
