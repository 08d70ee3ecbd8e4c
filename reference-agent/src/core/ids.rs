/// Makes the ids that are the agent's to make (section 3.4.2): counted, so that every run makes the same ones.
#[derive(Debug, Default)]
pub struct Ids {
    tasks: u64,
    contexts: u64,
    artifacts: u64,
    messages: u64,
    push_configs: u64,
    /// The number of the tenant whose they are: no two tenants have an id in common, so that one is of no use to another.
    tenant: Option<usize>,
}

impl Ids {
    /// Those of a tenant.
    pub fn of_tenant(number: usize) -> Self {
        Self { tenant: Some(number), ..Self::default() }
    }

    /// An id for a new task.
    pub fn task(&mut self) -> String {
        next("task", self.tenant, &mut self.tasks)
    }

    /// An id for a new context.
    pub fn context(&mut self) -> String {
        next("context", self.tenant, &mut self.contexts)
    }

    /// An id for a new artifact.
    pub fn artifact(&mut self) -> String {
        next("artifact", self.tenant, &mut self.artifacts)
    }

    /// An id for a message of the agent.
    pub fn message(&mut self) -> String {
        next("message", self.tenant, &mut self.messages)
    }

    /// An id for a push notification configuration that came without one.
    pub fn push_config(&mut self) -> String {
        next("push", self.tenant, &mut self.push_configs)
    }
}

fn next(kind: &str, tenant: Option<usize>, counter: &mut u64) -> String {
    *counter += 1;
    match tenant {
        None => format!("{kind}-{counter:06}"),
        Some(tenant) => format!("{kind}-{tenant}-{counter:06}"),
    }
}
