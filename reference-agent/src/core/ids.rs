/// Makes the ids that are the agent's to make (section 3.4.2): counted, so that every run makes the same ones.
#[derive(Debug, Default)]
pub struct Ids {
    tasks: u64,
    contexts: u64,
    artifacts: u64,
    messages: u64,
    push_configs: u64,
}

impl Ids {
    /// An id for a new task.
    pub fn task(&mut self) -> String {
        next("task", &mut self.tasks)
    }

    /// An id for a new context.
    pub fn context(&mut self) -> String {
        next("context", &mut self.contexts)
    }

    /// An id for a new artifact.
    pub fn artifact(&mut self) -> String {
        next("artifact", &mut self.artifacts)
    }

    /// An id for a message of the agent.
    pub fn message(&mut self) -> String {
        next("message", &mut self.messages)
    }

    /// An id for a push notification configuration that came without one.
    pub fn push_config(&mut self) -> String {
        next("push", &mut self.push_configs)
    }
}

fn next(kind: &str, counter: &mut u64) -> String {
    *counter += 1;
    format!("{kind}-{counter:06}")
}
