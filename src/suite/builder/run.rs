//! What is run, and how.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::super::again::CommandLine;
use super::super::error::SuiteError;
use super::super::notice::Notice;
use super::SuiteBuilder;
use crate::auth::Credentials;
use crate::case::{Durable, Library, Trigger};
use crate::clock;
use crate::discovery::triggers::{Preset, Say};
use crate::plan::{Selection, Shard};
use crate::profile::Binding;
use crate::run::{FailFast, Restart};
use crate::transport::http::Http;
use crate::transport::inbound::{self, ServerTls};
use crate::verdict::TrialResult;

/// What is run.
impl SuiteBuilder {
    /// Only these protocol versions, such as `1.0`; every version that the card declares, where there are none.
    #[must_use]
    pub fn profiles(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.profiles = names.into_iter().map(Into::into).collect();
        self
    }

    /// Only these bindings; every binding that the card declares, where there are none.
    #[must_use]
    pub fn bindings(mut self, bindings: impl IntoIterator<Item = Binding>) -> Self {
        self.bindings = bindings.into_iter().collect();
        self
    }

    /// Only the interfaces of this tenant; the first that the card declares for each version and binding, where none is named.
    #[must_use]
    pub fn tenant(mut self, name: impl Into<String>) -> Self {
        self.tenant = Some(name.into());
        self
    }

    /// Only these cases.
    #[must_use]
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Only the cases of this area, also those that run only when they are asked for. May be repeated.
    #[must_use]
    pub fn area(mut self, name: &str) -> Self {
        self.selection.areas.push(name.to_owned());
        self
    }

    /// Only what matches: the id of a case, an area, a section or the id of a requirement; `*` stands for any characters.
    /// May be repeated.
    #[must_use]
    pub fn only(mut self, pattern: &str) -> Self {
        self.selection.only.push(pattern.to_owned());
        self
    }

    /// Nothing of what matches, by the same patterns. May be repeated.
    #[must_use]
    pub fn skip(mut self, pattern: &str) -> Self {
        self.selection.skip.push(pattern.to_owned());
        self
    }

    /// The cases, where they are not those of the program alone: see [`library`](crate::suite::library).
    #[must_use]
    pub fn library(mut self, library: impl Into<Arc<Library>>) -> Self {
        self.library = Some(library.into());
        self
    }

    /// What to send to bring the agent into a state. It counts before what the card announces.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger, say: Say) -> Self {
        self.triggers.insert(trigger, say);
        self
    }

    /// A named set of triggers. What the card announces counts before it.
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = Some(preset);
        self
    }
}

/// How it is run.
impl SuiteBuilder {
    /// How long to wait for each answer, and for a stream as a whole: 10 s, if nothing else is said.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = clock::bounded(timeout);
        self
    }

    /// For how long the agent is looked for, if it does not answer or has no card yet: not at all, if nothing else is said.
    #[must_use]
    pub fn wait(mut self, limit: Duration) -> Self {
        self.wait = limit;
        self
    }

    /// How long the whole run may take, with the search for the agent: what has not ended by then is unreached, as where the
    /// run is [stopped](SuiteBuilder::stop).
    #[must_use]
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = Some(clock::bounded(limit));
        self
    }

    /// Begins no further case after the first result for which this is so. What has begun by then goes on to its end.
    ///
    /// ```
    /// use a2aspec::{FailOn, Suite};
    ///
    /// let suite = Suite::builder("http://localhost:8080").fail_fast(|result| FailOn::Must.fails_at(result.verdict));
    /// ```
    #[must_use]
    pub fn fail_fast(mut self, is_failure: impl Fn(&TrialResult) -> bool + Send + Sync + 'static) -> Self {
        self.fail_fast = Some(FailFast::at(is_failure));
        self
    }

    /// Runs a case that failed again at the end, alone, up to so often. Where it passes then, its result is flaky, which fails
    /// no gate. Cases that judge the whole run are not run again.
    #[must_use]
    pub fn retries(mut self, times: usize) -> Self {
        self.retries = times;
        self
    }

    /// Beside the cases the agent is sent so many requests a second: messages, and requests for the tasks that these make. A case that
    /// is not right then is run once more at the end, without them, and its result says how it came out both times.
    #[must_use]
    pub fn load(mut self, requests_a_second: u32) -> Self {
        self.load = Some(requests_a_second);
        self
    }

    /// Restarts the agent once, within the cases about what is `durable`, after all others. What comes out otherwise than without a
    /// restart is reported with both outcomes. `restarting` ends when the restart is done, or with what went wrong.
    #[must_use]
    pub fn restart<F>(
        mut self,
        durable: impl IntoIterator<Item = Durable>,
        restarting: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        let restarting = Arc::new(move || restarting().boxed());
        self.restart = Some(Restart::new(restarting, durable.into_iter().collect()));
        self
    }

    /// The command line that restarts it, for the command line that does the same again.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn restart_command(mut self, line: &str) -> Self {
        self.restart_command = Some(line.to_owned());
        self
    }

    /// How many requests are in flight at once, apart from those that wait for the agent's work: 8, if nothing else is said. With
    /// 1, cases run one after the other.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// The most requests that the agent is sent in a second; those that are written byte by byte over one connection count as one.
    /// As many as it answers, if nothing else is said.
    #[must_use]
    pub fn rate(mut self, most: f64) -> Self {
        self.rate = Some(most);
        self
    }

    /// The most messages that the agent is sent; cases that need more are not reached.
    #[must_use]
    pub fn max_messages(mut self, most: u64) -> Self {
        self.max_messages = Some(most);
        self
    }

    /// Runs only what the specification demands, and each case over one binding.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// Runs only a part of the plan. Whoever prepares the same plan for the same agent has the same parts, and their reports are
    /// put together by `a2aspec merge`.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Webhooks are received at this address, such as `0.0.0.0:9000`: the loopback interface and a free port, if nothing is said.
    #[must_use]
    pub fn webhook_listen(mut self, address: &str) -> Self {
        match address.parse() {
            Ok(address) => self.webhook_listen = Some(address),
            Err(_) => {
                let message = format!(
                    "{address:?} is no address to listen on: an IP address and a port are, as in 127.0.0.1:9000"
                );
                self.fail(SuiteError::Webhook(message));
            }
        }
        self
    }

    /// The agent gets to webhooks by this URL, which leads to the address of [`SuiteBuilder::webhook_listen`].
    #[must_use]
    pub fn webhook_url(mut self, url: &str) -> Self {
        self.webhook_url = self.parsed(url);
        self
    }

    /// Webhooks are received over TLS.
    #[must_use]
    pub fn webhook_tls(mut self, tls: ServerTls) -> Self {
        self.webhook_tls = Some(tls);
        self
    }

    /// Webhooks are received over TLS with a certificate that is made for this run, for this machine and for whatever address and
    /// URL were said before.
    #[must_use]
    pub fn webhook_made_tls(mut self) -> Self {
        let hosts = inbound::hosts(self.webhook_listen.map(|address| address.ip()), self.webhook_url.as_ref());
        match ServerTls::made(&hosts) {
            Ok(tls) => self.webhook_tls = Some(tls),
            Err(why) => self.fail(SuiteError::Webhook(format!("webhooks cannot be received over TLS: {why}"))),
        }
        self
    }

    /// Further flags of the command line that does the same again.
    #[must_use]
    pub(crate) fn more_flags(mut self, flags: impl IntoIterator<Item = String>) -> Self {
        if let Some(command) = &mut self.command {
            command.more.extend(flags);
        }
        self
    }

    /// A client whose TLS and time limit this run shares, for programs with many runs: to set one up takes longer than many
    /// a run.
    #[must_use]
    pub fn client(mut self, client: &Http) -> Self {
        self.client = Some(client.anew(Credentials::default()));
        self
    }

    /// Ends the run as soon as this turns true: what has not ended by then is unreached.
    #[must_use]
    pub fn stop(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Is told what is worth knowing while the agent is looked for.
    #[must_use]
    pub fn on_notice(mut self, listener: impl Fn(&Notice<'_>) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// What the command lines in the report say beside what is known here.
    #[must_use]
    pub fn command(mut self, command: CommandLine) -> Self {
        self.command = Some(command);
        self
    }
}
