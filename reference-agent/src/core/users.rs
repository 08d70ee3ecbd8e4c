use std::sync::Arc;

use tokio::sync::watch;

use super::engine::Engine;
use super::error::{Error, Unauthenticated};
use super::tenants::Tenants;
use crate::card::AgentCard;
use crate::config::{Config, Scheme, Standing, User};

/// Who may ask, and the engines of each: nothing that one user has is there for another (section 13.1).
#[derive(Debug)]
pub struct Users {
    /// The engine that begins and ends all others.
    first: Arc<Engine>,
    /// The tenants of everybody, where the agent has no users.
    everybody: Arc<Tenants>,
    accounts: Vec<Account>,
    schemes: Vec<Scheme>,
}

/// A user by one token.
#[derive(Debug)]
struct Account {
    name: String,
    token: String,
    /// A token that is no good for anything has none.
    tenants: Result<Arc<Tenants>, Unauthenticated>,
}

/// What a request shows of who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A token.
    Token(String),
    /// A name, and the token as a password.
    Password(String, String),
    /// A name that somebody has certified.
    Certified(String),
}

impl Account {
    /// Whether this is who shows that. Who has only a name is the first of that name with a token that is good for something.
    fn is_of(&self, credential: &Credential) -> bool {
        match credential {
            Credential::Token(token) => *token == self.token,
            Credential::Password(name, token) => *name == self.name && *token == self.token,
            Credential::Certified(name) => *name == self.name && self.tenants.is_ok(),
        }
    }
}

impl Users {
    /// The users of an agent without tasks.
    ///
    /// # Errors
    /// Where what its webhooks are to be trusted by holds no certificate.
    pub fn new(config: Config, extended_card: AgentCard) -> reqwest::Result<Arc<Self>> {
        let (users, schemes) = (config.users.clone(), config.schemes.clone());
        let first = Engine::new(config.clone(), extended_card)?;
        let tenants = |number, may_send| Tenants::new(&config, first.beside(number, may_send));
        let of = |number, standing| match standing {
            Standing::Good => Ok(tenants(number, true)),
            Standing::Narrow => Ok(tenants(number, false)),
            Standing::Expired => Err(Unauthenticated::Expired),
            Standing::WrongAudience => Err(Unauthenticated::WrongAudience),
        };
        let account = |(user, number): (User, usize)| {
            let tenants = of(number, user.standing);
            Account { name: user.name, token: user.token, tenants }
        };
        let accounts = users.into_iter().zip(1..).map(account).collect();
        let everybody = Tenants::new(&config, Arc::clone(&first));
        Ok(Arc::new(Self { first, everybody, accounts, schemes }))
    }

    /// The same users as another replica of the agent has them.
    pub fn replica(&self, number: usize) -> Arc<Self> {
        let of = |account: &Account| Account {
            name: account.name.clone(),
            token: account.token.clone(),
            tenants: account.tenants.as_ref().map(|tenants| tenants.replica(number)).map_err(|wrong| *wrong),
        };
        Arc::new(Self {
            first: Arc::clone(&self.first),
            everybody: self.everybody.replica(number),
            accounts: self.accounts.iter().map(of).collect(),
            schemes: self.schemes.clone(),
        })
    }

    /// The ways in which users say who they are.
    pub fn schemes(&self) -> &[Scheme] {
        &self.schemes
    }

    /// The engines of the user who shows one of these.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] where the agent has users and none is good for any of them (section 7.4).
    pub fn tenants(&self, shown: &[Credential]) -> Result<&Arc<Tenants>, Error> {
        if self.accounts.is_empty() {
            return Ok(&self.everybody);
        }
        let known = |shown| self.accounts.iter().find(|account| account.is_of(shown));
        let mut why = Unauthenticated::Unknown;
        for account in shown.iter().filter_map(known) {
            match &account.tenants {
                Ok(tenants) => return Ok(tenants),
                Err(wrong) => why = *wrong,
            }
        }
        Err(Error::Unauthenticated(why))
    }

    /// Ends streams, waiting callers, running tasks and deliveries of all.
    pub fn close(&self) {
        self.first.close();
    }

    /// What says that the agent is being stopped, by turning true.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.first.closing()
    }

    /// Loses all that is stored. Only a fault asks for it.
    pub fn forget(&self) {
        self.everybody.forget();
        self.accounts.iter().flat_map(|account| &account.tenants).for_each(|tenants| tenants.forget());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::extended_card;

    fn users(tokens: &[&str]) -> Arc<Users> {
        let user = |text: &&str| text.parse::<User>().unwrap();
        let config = Config { users: tokens.iter().map(user).collect(), ..Config::default() };
        Users::new(config.clone(), extended_card(&config, "http://host")).unwrap()
    }

    fn token(token: &str) -> [Credential; 1] {
        [Credential::Token(token.to_owned())]
    }

    #[test]
    fn everybody_may_ask_an_agent_without_users() {
        let open = users(&[]);
        assert!(Arc::ptr_eq(open.tenants(&[]).unwrap(), open.tenants(&token("any")).unwrap()));
    }

    #[test]
    fn each_user_has_what_no_other_has() {
        let users = users(&["ann=a", "bob=b", "old=c:expired", "far=d:wrong-audience", "new=e:narrow"]);
        let (a, b) = (users.tenants(&token("a")).unwrap(), users.tenants(&token("b")).unwrap());
        assert!(!Arc::ptr_eq(a, b));
        for (shown, why) in [
            (&[][..], Unauthenticated::Unknown),
            (&token(""), Unauthenticated::Unknown),
            (&token("A"), Unauthenticated::Unknown),
            (&token("c"), Unauthenticated::Expired),
            (&token("d"), Unauthenticated::WrongAudience),
        ] {
            assert_eq!(users.tenants(shown).map(|_| ()), Err(Error::Unauthenticated(why)), "{shown:?}");
        }
        assert!(users.tenants(&token("e")).is_ok(), "a token that allows little is that of a user");
        users.close();
        let is_closing = |tenants: &Tenants| *tenants.engine(None).unwrap().closing().borrow();
        assert!(is_closing(a) && is_closing(b), "all end together");
    }

    #[test]
    fn any_credential_that_fits_is_enough() {
        let users = users(&["ann=0ld:expired", "ann=a", "bob=b"]);
        let ann = users.tenants(&token("a")).unwrap();
        let password = |name: &str, token: &str| Credential::Password(name.to_owned(), token.to_owned());
        let certified = Credential::Certified("ann".to_owned());
        for shown in [
            vec![password("ann", "a")],
            vec![certified.clone()],
            vec![Credential::Token("0ld".to_owned()), certified],
            vec![Credential::Token("x".to_owned()), password("ann", "a")],
        ] {
            assert!(Arc::ptr_eq(users.tenants(&shown).unwrap(), ann), "{shown:?}");
        }
        for shown in [password("bob", "a"), password("", "a"), Credential::Certified("eve".to_owned())] {
            assert!(users.tenants(&[shown]).is_err());
        }
    }
}
