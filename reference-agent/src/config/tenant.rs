use std::fmt;
use std::str::FromStr;

/// What cannot be told from something else where it begins a path over HTTP+JSON: the addresses of 0.3, and a task.
const TAKEN: [&str; 2] = ["v1", "tasks"];

/// The name of a tenant: one for whom requests can be (1.0, section 4.4.6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant(String);

impl Tenant {
    /// Two whom the cases about tenants find declared.
    #[must_use]
    pub fn two() -> [Self; 2] {
        ["acme", "globex"].map(|name| Self(name.to_owned()))
    }
}

/// A text that names no [`Tenant`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a tenant can have any name but an empty one, v1 and tasks, which mean something else in a path")]
pub struct NoTenant;

impl FromStr for Tenant {
    type Err = NoTenant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.is_empty() || TAKEN.contains(&text) {
            true => Err(NoTenant),
            false => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_thing_in_a_path() {
        for name in ["acme", "a/b", "v2", "Tasks", " "] {
            assert_eq!(name.parse::<Tenant>().unwrap().to_string(), name);
        }
        for wrong in ["", "v1", "tasks"] {
            assert_eq!(wrong.parse::<Tenant>(), Err(NoTenant), "{wrong}");
        }
    }
}
