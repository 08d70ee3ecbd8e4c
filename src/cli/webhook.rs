//! `a2aspec webhook listen`: shows what an agent posts to webhooks, for whoever debugs it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::args::{WebhookArgs, WebhookCommand, WebhookListenArgs};
use super::config::Config;
use super::fail::Failure;
use super::{Exit, print, settings, signals};
use crate::report::{Secrets, trace};
use crate::suite::{SuiteBuilder, SuiteError};
use crate::transport::http::{Http, Settings};
use crate::transport::inbound::{Receiver, Reply, ServerTls};

/// How long the rest of a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn run(args: WebhookArgs) -> Result<Exit, Failure> {
    match args.command {
        WebhookCommand::Listen(args) => listen(args).await,
    }
}

/// Prints each request in the form of a trace, until a signal or the last delivery that is wanted.
async fn listen(args: WebhookListenArgs) -> Result<Exit, Failure> {
    let WebhookListenArgs { receiver, status, count } = args;
    let stop = signals::heard()?;
    let suite = settings::webhooks(SuiteBuilder::default(), receiver, &Config::default())?;
    let (listen, _) = suite.validate()?.listen()?;
    let http = Http::new(Settings { credentials: crate::auth::Credentials::default(), timeout: TIMEOUT });
    let http = http.map_err(SuiteError::Client)?;
    let address = listen.address;
    let receiver = Receiver::start(&http, &listen).await;
    let receiver = receiver.map_err(|error| SuiteError::Listen { address, error })?;
    let (tell, mut heard) = mpsc::unbounded_channel();
    let hook = receiver.hook("webhook", move |exchange| {
        // Nobody listens any more once the program is about to end.
        let _ = tell.send(Arc::clone(exchange));
    });
    let hook = hook.map_err(|error| Failure::broken(format!("there is no webhook: {error}")))?;
    hook.answer(Reply::status(status));
    let made = listen.tls.as_ref().filter(|tls| tls.is_made()).map(ServerTls::chain).map(String::from_utf8_lossy);
    let made = made.map(|pem| format!("its certificate, which the agent has to trust:\n{pem}")).unwrap_or_default();
    print::out(&format!("webhook at {}\n{made}what is posted there is shown here; Ctrl-C ends\n\n", hook.url()))?;
    let mut deliveries = 0;
    loop {
        let exchange = tokio::select! {
            exchange = heard.recv() => exchange,
            () = signals::stopped(&stop) => None,
        };
        let Some(exchange) = exchange else { return Ok(Exit::Holds) };
        // Whoever debugs an agent wants to see its credentials, too.
        print::out(&trace::shown(&exchange, &Secrets::default()))?;
        deliveries += hook.forget();
        if count.is_some_and(|count| deliveries >= count) {
            // Whoever posted the last wants its answer.
            receiver.finish(TIMEOUT).await;
            return Ok(Exit::Holds);
        }
    }
}
