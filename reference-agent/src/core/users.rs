use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use super::engine::Engine;
use super::error::Error;
use crate::card::AgentCard;
use crate::config::Config;

/// Who may ask, and the engine of each: nothing that one user has is there for another (section 13.1).
#[derive(Debug)]
pub struct Users {
    /// The engine of everybody, where the agent has no users.
    everybody: Arc<Engine>,
    /// Those of the users, by their tokens.
    engines: BTreeMap<String, Arc<Engine>>,
}

impl Users {
    /// The users of an agent without tasks.
    ///
    /// # Errors
    /// Where what its webhooks are to be trusted by holds no certificate.
    pub fn new(config: Config, extended_card: AgentCard) -> reqwest::Result<Arc<Self>> {
        let tokens: Vec<String> = config.users.iter().map(|user| user.token.clone()).collect();
        let everybody = Engine::new(config, extended_card)?;
        let engines = tokens.into_iter().map(|token| (token, everybody.beside())).collect();
        Ok(Arc::new(Self { everybody, engines }))
    }

    /// The engine of the user who has this bearer token.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] where the agent has users and none of them has it (section 7.4).
    pub fn engine(&self, token: Option<&str>) -> Result<&Arc<Engine>, Error> {
        if self.engines.is_empty() {
            return Ok(&self.everybody);
        }
        token.and_then(|token| self.engines.get(token)).ok_or(Error::Unauthenticated)
    }

    /// Ends streams, waiting callers, running tasks and deliveries of all.
    pub fn close(&self) {
        self.everybody.close();
    }

    /// What says that the agent is being stopped, by turning true.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.everybody.closing()
    }

    /// Loses all that is stored. Only a fault asks for it.
    pub fn forget(&self) {
        self.everybody.forget();
        self.engines.values().for_each(|engine| engine.forget());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::extended_card;
    use crate::config::User;

    fn users(tokens: &[&str]) -> Arc<Users> {
        let user = |token: &&str| User { name: (*token).to_owned(), token: (*token).to_owned() };
        let config = Config { users: tokens.iter().map(user).collect(), ..Config::default() };
        Users::new(config.clone(), extended_card(&config, "http://host")).unwrap()
    }

    #[test]
    fn everybody_may_ask_an_agent_without_users() {
        let open = users(&[]);
        assert!(Arc::ptr_eq(open.engine(None).unwrap(), open.engine(Some("any")).unwrap()));
    }

    #[test]
    fn each_user_has_what_no_other_has() {
        let users = users(&["a", "b"]);
        let (a, b) = (users.engine(Some("a")).unwrap(), users.engine(Some("b")).unwrap());
        assert!(!Arc::ptr_eq(a, b));
        for token in [None, Some(""), Some("c"), Some("A")] {
            assert_eq!(users.engine(token).map(|_| ()), Err(Error::Unauthenticated), "{token:?}");
        }
        users.close();
        assert!(*a.closing().borrow() && *b.closing().borrow(), "all end together");
    }
}
