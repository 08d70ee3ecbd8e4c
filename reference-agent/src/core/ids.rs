use std::fmt::Write as _;

use ring::digest::{SHA256, digest};

/// Makes the ids that are the agent's to make (section 3.4.2): the same in every run, counted for each user by themselves, or such as
/// nobody can count.
#[derive(Debug, Default)]
pub struct Ids {
    tasks: u64,
    contexts: u64,
    artifacts: u64,
    messages: u64,
    push_configs: u64,
    owner: Owner,
    form: IdForm,
}

/// What ids look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdForm {
    /// As they are counted.
    #[default]
    Counted,
    /// None tells of another.
    Scattered,
    /// 200 characters.
    Long,
    /// With all characters that paths of URLs allow.
    Odd,
    /// With characters that JSON, paths and queries spell otherwise.
    Signs,
}

/// Whose ids they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Owner {
    /// The number of the user. Counted ones of two users are the same.
    pub user: usize,
    /// The number of the tenant: no two tenants have an id in common, so that one is of no use to another.
    pub tenant: Option<usize>,
    /// The number of the replica, where each has a store of its own: none makes an id of another.
    pub replica: Option<usize>,
}

impl Ids {
    /// Those of somebody; no two are like each other where they are scattered.
    pub fn of(owner: Owner, form: IdForm) -> Self {
        Self { owner, form, ..Self::default() }
    }

    /// An id for a new task.
    pub fn task(&mut self) -> String {
        self.tasks += 1;
        self.id("task", self.tasks)
    }

    /// An id for a new context.
    pub fn context(&mut self) -> String {
        self.contexts += 1;
        self.id("context", self.contexts)
    }

    /// An id for a new artifact.
    pub fn artifact(&mut self) -> String {
        self.artifacts += 1;
        self.id("artifact", self.artifacts)
    }

    /// An id for a message of the agent.
    pub fn message(&mut self) -> String {
        self.messages += 1;
        self.id("message", self.messages)
    }

    /// An id for a push notification configuration that came without one.
    pub fn push_config(&mut self) -> String {
        self.push_configs += 1;
        self.id("push", self.push_configs)
    }

    fn id(&self, kind: &str, number: u64) -> String {
        let Owner { user, tenant, replica } = self.owner;
        let counted = || {
            let owner = tenant.map(|tenant| format!("{tenant}-")).unwrap_or_default();
            let replica = replica.map(|replica| format!("r{replica}-")).unwrap_or_default();
            format!("{kind}-{owner}{replica}{number:06}")
        };
        match self.form {
            IdForm::Counted => counted(),
            IdForm::Scattered => {
                scattered(&format!("{kind} {number} of {user} {tenant:?} {}", replica.unwrap_or_default()))
            }
            IdForm::Long => format!("{:x<200}", counted()),
            IdForm::Odd => format!("{}{ODD}", counted()),
            IdForm::Signs => format!("{}{SIGNS}", counted()),
        }
    }
}

/// What odd ids end in: what a path of a URL allows as it is (RFC 3986, section 3.3).
const ODD: &str = "~a.b:c@d!e$f'(g)*h,;=_";

/// What ids with signs end in: what JSON escapes (RFC 8259, section 7), and what paths and queries do.
const SIGNS: &str = "\"a\\b/c?d#e%41 f&g+h{i}\u{e9}\u{1f6f0}";

/// A UUID that is the hash of something (version 8; RFC 9562, section 5.8).
fn scattered(of: &str) -> String {
    let mut id = String::new();
    for (place, byte) in digest(&SHA256, of.as_bytes()).as_ref().iter().take(16).enumerate() {
        let byte = match place {
            6 => 0x80 | byte & 0x0f,
            8 => 0x80 | byte & 0x3f,
            _ => *byte,
        };
        let hyphen = if [4, 6, 8, 10].contains(&place) { "-" } else { "" };
        let _infallible = write!(id, "{hyphen}{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn scattered_ids_are_uuids_and_nobody_elses() {
        let owners = [(0, None), (1, None), (1, Some(1)), (1, Some(2))].map(|(user, tenant)| Owner {
            user,
            tenant,
            replica: None,
        });
        let mut all = BTreeSet::new();
        for owner in owners {
            let mut ids = Ids::of(owner, IdForm::Scattered);
            all.extend([ids.task(), ids.task(), ids.context(), ids.artifact(), ids.message(), ids.push_config()]);
        }
        assert_eq!(all.len(), 24);
        for id in all {
            let parts: Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!((parts.as_slice(), &id[14..15]), (&[8, 4, 4, 4, 12][..], "8"), "{id}");
            assert!(["8", "9", "a", "b"].contains(&&id[19..20]), "{id}");
        }
    }

    #[test]
    fn counted_ids_are_the_same_for_each_user_and_no_others_for_a_tenant() {
        let of = |user, tenant| Ids::of(Owner { user, tenant, replica: None }, IdForm::Counted).task();
        assert_eq!([of(0, None), of(1, None), of(1, Some(2))], ["task-000001", "task-000001", "task-2-000001"]);
    }
}
