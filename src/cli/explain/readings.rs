//! Where the texts of A2A leave open what a case checks: the readings of docs/interpretations.md.

/// One line for each reading: its anchor, its heading, its cases. A test makes it of the document.
const READINGS: &str = include_str!("readings.txt");

/// The readings by which a case judges, each as link and heading.
pub(super) fn of(case: &str) -> impl Iterator<Item = (String, &'static str)> {
    READINGS.lines().filter_map(move |line| {
        let mut parts = line.split('\t');
        let (anchor, title) = (parts.next()?, parts.next()?);
        parts.any(|one| one == case).then(|| (format!("docs/interpretations.md#{anchor}"), title))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_its_readings() {
        let all: Vec<_> = of("version/missing").collect();
        let link = "docs/interpretations.md#missing-or-empty-a2a-version".to_owned();
        assert!(all.contains(&(link, "Missing or empty A2A-Version")), "{all:?}");
        assert_eq!(of("version/missin").count(), 0);
    }
}
