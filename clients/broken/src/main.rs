//! The good client with one mistake: `a2aspec client -- a2aspec-broken-client --deviation ID`.

use std::io::Write as _;
use std::process::ExitCode;

/// What there is to choose from.
const TABLE: &str = include_str!("deviations.txt");

const USAGE: &str = "usage: a2aspec-broken-client --deviation ID
       a2aspec-broken-client --deviations      print id, requirement and mistake of each";

/// A mistake: its id, the requirement that it violates, and what the client does.
type Deviation = (&'static str, &'static str, &'static str);

fn deviations() -> impl Iterator<Item = Deviation> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut columns = line.split(" | ");
        Some((columns.next()?, columns.next()?, columns.next()?))
    })
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = match words.as_slice() {
        ["--deviations"] => {
            let list: String =
                deviations().map(|(id, requirement, does)| format!("{id}\t{requirement}\t{does}\n")).collect();
            // A reader that closes early, as `head` does, is no failure.
            let _printed = std::io::stdout().write_all(list.as_bytes());
            return ExitCode::SUCCESS;
        }
        ["--deviation", id] if deviations().any(|(known, ..)| known == *id) => {
            a2aspec_good_client::deviation::choose(id);
            a2aspec_good_client::serve()
        }
        ["--deviation", id] => Err(format!("{id} is no deviation; --deviations prints them")),
        _ => Err(USAGE.to_owned()),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use super::*;

    fn files(folder: &str, ending: &str) -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|found| found == ending))
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    }

    #[test]
    fn each_acts_in_one_place_and_nothing_else_does() {
        let area = |id: &str| id.split_once('/').map(|(area, _)| area.to_owned());
        let areas: BTreeSet<String> = deviations().filter_map(|(id, ..)| area(id)).collect();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for source in files("../good/src", "rs") {
            // Between quotes stands every second piece of a line.
            let quoted = source.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
            for id in quoted.filter(|text| area(text).is_some_and(|area| areas.contains(&area))) {
                *places.entry(id.to_owned()).or_default() += 1;
            }
        }
        let known: BTreeMap<String, usize> = deviations().map(|(id, ..)| (id.to_owned(), 1)).collect();
        assert_eq!(known.len(), deviations().count(), "an id is there twice");
        let differ = places.iter().filter(|place| !known.contains_key(place.0) || *place.1 != 1).map(|place| place.0);
        let differ = differ.chain(known.keys().filter(|id| !places.contains_key(*id)));
        assert_eq!(differ.collect::<Vec<_>>(), Vec::<&String>::new());
    }

    #[test]
    fn each_violates_a_requirement_of_the_catalogues() {
        let catalogues = files("../../cases/requirements", "yaml").concat();
        for (id, requirement, _) in deviations() {
            assert!(catalogues.contains(&format!("- id: {requirement}\n")), "{id}: there is no {requirement}");
        }
    }
}
