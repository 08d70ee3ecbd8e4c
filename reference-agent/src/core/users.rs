use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use super::engine::Engine;
use super::error::{Error, Unauthenticated};
use crate::card::AgentCard;
use crate::config::{Config, Standing};

/// Who may ask, and the engine of each: nothing that one user has is there for another (section 13.1).
#[derive(Debug)]
pub struct Users {
    /// The engine of everybody, where the agent has no users.
    everybody: Arc<Engine>,
    /// Those of the users, by their tokens. A token that is no good for anything has none.
    engines: BTreeMap<String, Result<Arc<Engine>, Unauthenticated>>,
}

impl Users {
    /// The users of an agent without tasks.
    ///
    /// # Errors
    /// Where what its webhooks are to be trusted by holds no certificate.
    pub fn new(config: Config, extended_card: AgentCard) -> reqwest::Result<Arc<Self>> {
        let users = config.users.clone();
        let everybody = Engine::new(config, extended_card)?;
        let engine = |standing| match standing {
            Standing::Good => Ok(everybody.beside(true)),
            Standing::Narrow => Ok(everybody.beside(false)),
            Standing::Expired => Err(Unauthenticated::Expired),
            Standing::WrongAudience => Err(Unauthenticated::WrongAudience),
        };
        let engines = users.into_iter().map(|user| (user.token, engine(user.standing))).collect();
        Ok(Arc::new(Self { everybody, engines }))
    }

    /// The engine of the user who has this bearer token.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] where the agent has users and it is no good for any of them (section 7.4).
    pub fn engine(&self, token: Option<&str>) -> Result<&Arc<Engine>, Error> {
        if self.engines.is_empty() {
            return Ok(&self.everybody);
        }
        let known = token.and_then(|token| self.engines.get(token)).ok_or(&Unauthenticated::Unknown);
        known.and_then(Result::as_ref).map_err(|why| Error::Unauthenticated(*why))
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
        self.engines.values().flatten().for_each(|engine| engine.forget());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::extended_card;
    use crate::config::User;

    fn users(tokens: &[&str]) -> Arc<Users> {
        let user = |text: &&str| text.parse::<User>().unwrap();
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
        let users = users(&["ann=a", "bob=b", "old=c:expired", "far=d:wrong-audience", "new=e:narrow"]);
        let (a, b) = (users.engine(Some("a")).unwrap(), users.engine(Some("b")).unwrap());
        assert!(!Arc::ptr_eq(a, b));
        for (token, why) in [
            (None, Unauthenticated::Unknown),
            (Some(""), Unauthenticated::Unknown),
            (Some("A"), Unauthenticated::Unknown),
            (Some("c"), Unauthenticated::Expired),
            (Some("d"), Unauthenticated::WrongAudience),
        ] {
            assert_eq!(users.engine(token).map(|_| ()), Err(Error::Unauthenticated(why)), "{token:?}");
        }
        assert!(users.engine(Some("e")).is_ok(), "a token that allows little is that of a user");
        users.close();
        assert!(*a.closing().borrow() && *b.closing().borrow(), "all end together");
    }
}
