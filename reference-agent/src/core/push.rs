//! Push notifications (sections 3.1.7 to 3.1.10 and 4.3): who is told, and how.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::engine::Engine;
use super::error::{Error, Violation};
use super::guard::{self, guard, is_loopback};
use super::log::{Change, Follower, Readers};
use super::operation::{Answer, Notification, Rules};
use super::store::Store;
use crate::config::{Capability, Config, Unshared};
use crate::fault::{Fault, Posted, Switch, change_delivery};
use crate::model::{
    AuthenticationInfo, ListPushConfigsRequest, ListPushConfigsResponse, PushConfigName, Task,
    TaskPushNotificationConfig,
};

/// How long a webhook may take (section 4.3.3 recommends 10 to 30 s).
const TIMEOUT: Duration = Duration::from_secs(10);

/// How many webhooks are called at once.
const MOST_CALLS: usize = 64;

/// How many changes of a task may wait for one webhook. One that is slower is given up (section 4.3.3).
const MOST_WAITING: usize = 256;

/// The longest webhook URL, in bytes.
const LONGEST_URL: usize = 8192;

/// The header that carries the token of a configuration (0.3, section 9.5; 1.0 names none).
const TOKEN_HEADER: &str = "x-a2a-notification-token";

/// A configuration at work. Dropping it ends the deliveries, one that is under way included.
#[derive(Debug)]
pub struct Subscription {
    /// What the client asked for.
    pub config: TaskPushNotificationConfig,
    /// Who delivers: a reader of its own, since it may have to outlast the end of the task.
    pub readers: Readers,
    /// The number of the replica that was asked for it.
    home: usize,
    /// Whether it was deleted, where that leaves anything.
    is_gone: bool,
    delivery: AbortHandle,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.delivery.abort();
    }
}

/// Who calls webhooks: straight, a few at once, and following no redirect, which could lead the credentials elsewhere
/// (section 13.2). A public agent refuses private addresses; this one runs beside its tester, and by itself calls no others.
#[derive(Debug)]
pub struct Courier {
    /// Made for the first call: it reads the certificates of the machine, which takes longer than all else of a start.
    client: OnceLock<Option<reqwest::Client>>,
    /// What it trusts beside the certificates of the machine.
    authorities: Vec<reqwest::Certificate>,
    calls: Semaphore,
    /// Whether it goes to no name that leads into a private network.
    is_guarded: bool,
    goes_anywhere: bool,
    follows_redirects: bool,
    gives_up: bool,
    faults: Vec<&'static Fault>,
}

impl Courier {
    /// A courier that goes where the configuration of the agent lets it.
    ///
    /// # Errors
    /// Where what is to be trusted holds no certificate.
    pub fn new(config: &Config) -> reqwest::Result<Self> {
        // An error says that there is a provider of cryptography already: that of the program around this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let authorities =
            config.webhook_authorities.as_deref().map(reqwest::Certificate::from_pem_bundle).transpose()?;
        Ok(Self {
            client: OnceLock::new(),
            authorities: authorities.unwrap_or_default(),
            calls: Semaphore::new(MOST_CALLS),
            is_guarded: guard::is_on(config),
            goes_anywhere: config.delivers_anywhere,
            follows_redirects: config.breaks(Switch::FollowsWebhooks),
            gives_up: config.breaks(Switch::GivesWebhooksUp),
            faults: config.changes(),
        })
    }

    /// What calls; nothing where the platform has no usable TLS.
    fn client(&self) -> Option<&reqwest::Client> {
        let make = || {
            let client = match self.is_guarded {
                true => reqwest::Client::builder().dns_resolver(guard::PublicOnly),
                false => reqwest::Client::builder(),
            };
            let client = client
                .tls_certs_merge(self.authorities.iter().cloned())
                .timeout(TIMEOUT)
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .user_agent(concat!("a2a-reference-agent/", env!("CARGO_PKG_VERSION")));
            client.build().ok()
        };
        self.client.get_or_init(make).as_ref()
    }

    /// Whether it goes to the host of a URL.
    fn goes_to(&self, url: &str) -> bool {
        self.goes_anywhere || reqwest::Url::parse(url).is_ok_and(|url| is_loopback(&url))
    }

    /// Tries once (section 4.3.3: at least once; retries are optional). Whatever comes of it, the task goes on. Whether the webhook
    /// has acknowledged it.
    async fn post(&self, config: &TaskPushNotificationConfig, notification: Notification) -> bool {
        let mut headers = BTreeMap::from([(CONTENT_TYPE.to_string(), notification.content_type.to_owned())]);
        let authorization = config.authentication.as_ref().and_then(authorization);
        headers.extend(authorization.map(|value| (AUTHORIZATION.to_string(), value)));
        headers.extend(config.token.clone().map(|token| (TOKEN_HEADER.to_owned(), token)));
        let posted = Posted { times: 1, method: Method::POST.to_string(), headers, body: notification.body };
        let Some(posted) = change_delivery(&self.faults, &config.id, posted) else { return false };
        let Ok(_place) = self.calls.acquire().await else { return false };
        let mut answer = None;
        for _ in 0..posted.times {
            answer = self.send(&config.url, &posted).await;
        }
        let place = answer.as_ref().and_then(|answer| answer.headers().get(LOCATION)?.to_str().ok());
        if let Some(place) = place.filter(|_| self.follows_redirects) {
            return self.send(place, &posted).await.is_some_and(|answer| answer.status().is_success());
        }
        answer.is_some_and(|answer| answer.status().is_success())
    }

    async fn send(&self, url: &str, posted: &Posted) -> Option<reqwest::Response> {
        let method = Method::from_bytes(posted.method.as_bytes()).unwrap_or(Method::POST);
        let request = self.client()?.request(method, url).body(posted.body.clone());
        let request = posted.headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        request.send().await.ok()
    }

    /// Whether a webhook is being called.
    pub fn is_calling(&self) -> bool {
        self.calls.available_permits() < MOST_CALLS
    }
}

/// Checks what a client wants its webhook to be. Every configuration that comes to the engine has passed this.
///
/// # Errors
/// The first member that cannot be used.
pub fn check_webhook(config: &TaskPushNotificationConfig) -> Result<(), Violation> {
    check_url(&config.url)?;
    let fits_header = |value: &str| HeaderValue::from_str(value).is_ok();
    if config.token.as_deref().is_some_and(|token| !fits_header(token)) {
        return Err(Violation::new("token", "must fit into an HTTP header"));
    }
    let Some(authentication) = &config.authentication else {
        return Ok(());
    };
    if !is_scheme(&authentication.scheme) {
        return Err(Violation::new("authentication.scheme", "must be the name of an HTTP authentication scheme"));
    }
    if authentication.credentials.as_deref().is_some_and(|credentials| !fits_header(credentials)) {
        return Err(Violation::new("authentication.credentials", "must fit into an HTTP header"));
    }
    Ok(())
}

fn check_url(url: &str) -> Result<(), Violation> {
    let refuse = |description: &str| Err(Violation::new("url", description));
    if url.len() > LONGEST_URL {
        return refuse("is too long");
    }
    // URL parsers disagree on these: a host that is checked by one could be another host to the next.
    if url.contains(|character: char| character == '\\' || character.is_whitespace() || character.is_control()) {
        return refuse("must not contain white space, control characters or backslashes");
    }
    let Ok(parsed) = reqwest::Url::parse(url) else {
        return refuse("must be an absolute URL");
    };
    if !matches!(parsed.scheme(), "http" | "https") {
        return refuse("must be an http or https URL");
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return refuse("must not contain credentials");
    }
    Ok(())
}

/// Whether `name` is a token as RFC 9110 (section 5.6.2) defines it.
fn is_scheme(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Adds a configuration to a task, in the place of one with the same id or, where `rules` keep one only, of any, and
/// begins to deliver. Gives it back with the ids filled in.
///
/// # Errors
/// [`Error::TaskNotFound`].
pub fn subscribe(
    engine: &Arc<Engine>,
    store: &mut Store,
    task_id: &str,
    mut config: TaskPushNotificationConfig,
    rules: &'static Rules,
) -> Result<TaskPushNotificationConfig, Error> {
    task_id.clone_into(&mut config.task_id);
    while config.id.is_empty() {
        let made = store.ids.push_config();
        if !store.entry(task_id)?.push.contains_key(&made) {
            config.id = made;
        }
    }
    let entry = store.entry_mut(task_id)?;
    let mut readers = Readers::default();
    let delivery = Delivery {
        config: config.clone(),
        task: entry.task.clone(),
        changes: readers.follow_within(MOST_WAITING),
        rules,
    };
    let delivery = engine.spawn(delivery.run(Arc::clone(&engine.courier)));
    if rules.keeps_one_push_config {
        entry.push.clear();
    }
    let home = engine.replica;
    entry
        .push
        .insert(config.id.clone(), Subscription { config: config.clone(), readers, home, is_gone: false, delivery });
    Ok(config)
}

/// Tells one webhook what happens to one task, in order.
struct Delivery {
    config: TaskPushNotificationConfig,
    task: Task,
    changes: Follower,
    rules: &'static Rules,
}

impl Delivery {
    async fn run(mut self, courier: Arc<Courier>) {
        if !courier.goes_to(&self.config.url) {
            return;
        }
        while self.rules.ended_task_goes_on || !self.task.status.state.is_terminal() {
            let Some(change) = self.changes.next().await else {
                return;
            };
            change.apply(&mut self.task);
            let Change::Event(event) = change.as_ref() else {
                continue;
            };
            if let Some(notification) = (self.rules.notification)(&self.task, event) {
                let is_acknowledged = courier.post(&self.config, notification).await;
                if courier.gives_up && !is_acknowledged {
                    return;
                }
            }
        }
    }
}

/// The value of the Authorization header; without credentials there is nothing to prove.
fn authorization(authentication: &AuthenticationInfo) -> Option<String> {
    let credentials = authentication.credentials.as_ref()?;
    Some(format!("{} {credentials}", authentication.scheme))
}

impl Engine {
    pub(super) fn require_push(&self) -> Result<(), Error> {
        if self.config.serves(Capability::Push) { Ok(()) } else { Err(Error::PushNotificationNotSupported) }
    }

    /// Section 3.1.7.
    pub(super) fn create_push_config(
        self: &Arc<Self>,
        config: TaskPushNotificationConfig,
        rules: &'static Rules,
    ) -> Result<Answer, Error> {
        self.require_push()?;
        guard(&self.config, Some(&config))?;
        let task_id = config.task_id.clone();
        subscribe(self, &mut self.store(), &task_id, config, rules).map(Answer::PushConfig)
    }

    /// Section 3.1.8. A client that names no configuration gets the first.
    pub(super) fn get_push_config(&self, name: &PushConfigName, rules: &Rules) -> Result<Answer, Error> {
        self.require_push()?;
        let store = self.store();
        let configs = &store.entry(&name.task_id)?.push;
        let found = match &name.id {
            Some(id) if self.config.breaks(Switch::FindsPushConfigsAnywhere) => store.push_config(id),
            Some(id) => configs.get(id),
            None => configs.values().next(),
        };
        match found.filter(|subscription| !self.lacks(Unshared::PushConfigs, subscription.home)) {
            Some(subscription) => Ok(Answer::PushConfig(subscription.config.clone())),
            None if rules.shows_no_push_config => Ok(Answer::NoPushConfig),
            None => {
                let (task_id, id) = (name.task_id.clone(), name.id.clone().unwrap_or_default());
                Err(Error::PushConfigNotFound { task_id, id })
            }
        }
    }

    /// Section 3.1.9. The page token is the id of the last configuration shown.
    pub(super) fn list_push_configs(&self, request: &ListPushConfigsRequest) -> Result<Answer, Error> {
        self.require_push()?;
        let store = self.store();
        let configs = &store.entry(&request.task_id)?.push;
        let start = request.page_token.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let rest = configs.range::<str, _>((start, Bound::Unbounded)).map(|(_, subscription)| subscription);
        let mut rest = rest
            .filter(|subscription| !subscription.is_gone && !self.lacks(Unshared::PushConfigs, subscription.home))
            .map(|subscription| &subscription.config);
        let wanted = request.page_size.map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX));
        let page: Vec<TaskPushNotificationConfig> = rest.by_ref().take(wanted).cloned().collect();
        let has_more = rest.next().is_some();
        let next_page_token = page.last().filter(|_| has_more).map(|last| last.id.clone());
        Ok(Answer::PushConfigs(ListPushConfigsResponse { configs: page, next_page_token }))
    }

    /// Section 3.1.10. Deleting what is not there is fine: the operation must be idempotent.
    pub(super) fn delete_push_config(&self, name: &PushConfigName) -> Result<Answer, Error> {
        self.require_push()?;
        let mut store = self.store();
        let configs = &mut store.entry_mut(&name.task_id)?.push;
        match &name.id {
            Some(id) if self.config.breaks(Switch::ReadsDeletedPushConfigs) => {
                configs.get_mut(id).into_iter().for_each(|subscription| subscription.is_gone = true);
            }
            Some(id) if self.config.breaks(Switch::PostsToDeletedPushConfigs) => {
                if let Some(mut deleted) = configs.remove(id) {
                    deleted.is_gone = true;
                    configs.insert(format!("deleted {id}"), deleted);
                }
            }
            Some(id) => drop(configs.remove(id)),
            None => {}
        }
        if self.config.breaks(Switch::DeletesAllPushConfigs) {
            configs.clear();
        }
        Ok(Answer::Deleted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: &str) -> TaskPushNotificationConfig {
        TaskPushNotificationConfig {
            tenant: None,
            id: String::new(),
            task_id: String::new(),
            url: url.to_owned(),
            token: None,
            authentication: None,
        }
    }

    #[test]
    fn webhooks_must_be_plain_http_urls() {
        for good in ["http://127.0.0.1:9/x", "https://example.com/hook?a=b"] {
            assert_eq!(check_webhook(&config(good)), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/hook",
            "file:///etc/passwd",
            "ftp://example.com/",
            "http://user:secret@example.com/",
            "http://example.com\\@other/",
            "http://example.com/\nx",
            "http://",
            &format!("http://example.com/{}", "x".repeat(LONGEST_URL)),
        ] {
            assert_eq!(check_webhook(&config(bad)).unwrap_err().field, "url", "{bad}");
        }
    }

    #[test]
    fn no_webhook_leads_away_from_this_machine() {
        let courier = Courier::new(&Config::default()).unwrap();
        for here in
            ["http://127.0.0.1:9/x", "http://127.9.9.9/", "http://localhost:1", "http://[::1]:1/", "http://2130706433/"]
        {
            assert!(courier.goes_to(here), "{here}");
        }
        for away in [
            "http://192.0.2.1/",
            "https://a2aspec.invalid/webhook",
            "http://localhost.example/",
            "http://169.254.169.254/",
            "http://[::ffff:192.0.2.1]/",
            "http://0.0.0.0/",
        ] {
            assert!(!courier.goes_to(away), "{away}");
        }
        assert!(
            Courier::new(&Config { delivers_anywhere: true, ..Config::default() })
                .unwrap()
                .goes_to("http://192.0.2.1/")
        );
    }

    #[test]
    fn nothing_of_a_configuration_can_break_a_header() {
        let mut with_token = config("http://example.com/");
        with_token.token = Some("a\r\nX-Other: b".to_owned());
        assert_eq!(check_webhook(&with_token).unwrap_err().field, "token");

        let mut with_scheme = config("http://example.com/");
        let authentication = |scheme: &str, credentials: &str| AuthenticationInfo {
            scheme: scheme.to_owned(),
            alternatives: Vec::new(),
            credentials: Some(credentials.to_owned()),
        };
        with_scheme.authentication = Some(authentication("Bearer x", "y"));
        assert_eq!(check_webhook(&with_scheme).unwrap_err().field, "authentication.scheme");
        with_scheme.authentication = Some(authentication("Bearer", "y\n"));
        assert_eq!(check_webhook(&with_scheme).unwrap_err().field, "authentication.credentials");
    }
}
