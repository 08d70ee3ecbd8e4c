//! Names of the single things that a case about clients requires.

use super::{Demand, Doing, Visit, Wants};

impl Visit {
    /// The names of everything that it asserts.
    pub fn assertions(&self) -> Vec<String> {
        let of_step = |step: &Doing| {
            let label = self.label(step);
            let mut names: Vec<String> = Vec::new();
            if let Some(reported) = &step.reported {
                names.extend((!reported.outcome.is_empty()).then(|| format!("{label}.reported")));
                names.extend(reported.at.keys().map(|place| named_place(&label, place)));
                names.extend(reported.name.as_ref().map(|_| format!("{label}.name")));
            }
            names
        };
        self.steps.iter().flat_map(of_step).chain(self.requests.iter().flat_map(Demand::assertions)).collect()
    }

    /// The name of a step, or of what it does, with a number where several do the same.
    pub fn label(&self, step: &Doing) -> String {
        if let Some(name) = &step.name {
            return name.clone();
        }
        let before = self.steps.iter().take_while(|other| other.at != step.at);
        match before.filter(|other| other.name.is_none() && other.word == step.word).count() {
            0 => step.word.to_string(),
            place => format!("{}-{}", step.word, place + 1),
        }
    }
}

/// The name of what is asserted at a place of what a step reports.
pub fn named_place(label: &str, place: &str) -> String {
    format!("{label}.{}", if place.is_empty() { "/" } else { place })
}

impl Demand {
    /// What its assertions begin with.
    fn prefix(&self) -> String {
        match &self.place {
            Some(place) => format!("{}@{place}.", self.of),
            None => format!("{}.", self.of),
        }
    }

    /// The name of the assertion at a place of the document of a request, such as `headers:a2a-version` or `/id`.
    pub fn assertion_at(&self, pointer: &str) -> String {
        let within = match &self.wants {
            Wants::First(_) => "first.",
            Wants::Last(_) => "last.",
            Wants::Later(_) => "later.",
            _ => "",
        };
        let own = match pointer.strip_prefix("/at") {
            Some("") => "/".to_owned(),
            Some(place) => place.to_owned(),
            None => pointer.trim_start_matches('/').replacen('/', ":", 1),
        };
        format!("{}{within}{own}", self.prefix())
    }

    /// The name of what it asserts as a whole.
    pub fn assertion(&self) -> String {
        let own = match &self.wants {
            Wants::Count(_) => "count",
            Wants::Each(_) => "each",
            Wants::First(_) => "first",
            Wants::Last(_) => "last",
            Wants::Later(_) => "later",
            Wants::Never(_) => "never",
            Wants::Order(_) => return "order".to_owned(),
            Wants::Differ(_) => "differ",
        };
        format!("{}{own}", self.prefix())
    }

    fn assertions(&self) -> Vec<String> {
        match &self.wants {
            Wants::Each(conditions) | Wants::First(conditions) | Wants::Last(conditions) | Wants::Later(conditions) => {
                conditions.keys().map(|pointer| self.assertion_at(pointer)).collect()
            }
            _ => vec![self.assertion()],
        }
    }
}
