//! `a2aspec ui`: a local page for whoever works on an agent.

use std::io;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::args::{CheckArgs, UiArgs};
use super::fail::{Failure, library};
use super::own_agent::OwnAgent;
use super::settings::{self, Settings};
use super::{Exit, own_agent, print, signals};
use crate::case::Library;
use crate::report::Secrets;
use crate::suite::Pulse;
use crate::ui::{Found, Missing, Ui};

/// Serves the page until Ctrl-C.
pub(super) async fn run(args: UiArgs) -> Result<Exit, Failure> {
    let stop = signals::heard()?;
    let UiArgs { target, selection, receiver, port } = args;
    settings::without_reports("ui", &target)?;
    let args = CheckArgs { target, selection, receiver, ..CheckArgs::default() };
    let settings = settings::resolve(args.clone())?;
    let own = own_agent::start_for(&settings.suite, settings.own).await?;
    let library = Arc::new(library(settings.cases.as_deref())?);
    // An agent that is not there may come; what is wrong with the command line stays wrong.
    let looked = tokio::select! {
        looked = find(&args, own.as_ref(), &library) => looked,
        () = signals::stopped(&stop) => return Ok(Exit::Holds),
    };
    if let Err((failure, _)) = looked
        && failure.exit == Exit::Usage
    {
        return Err(failure);
    }
    let ui = Ui::listen(port).await.map_err(|error| not_listening(port, &error))?;
    print::out(&format!("ui at {}\n", ui.url()))?;
    print::note(&Secrets::default(), "open this URL in a browser on this machine; Ctrl-C ends it");
    let find = || -> LocalBoxFuture<'_, Result<Found, Missing>> {
        async { find(&args, own.as_ref(), &library).await.map_err(missing) }.boxed_local()
    };
    let served = ui.serve(&find, stop).await;
    if let Some(own) = own {
        own.stop().await;
    }
    served.map_err(|error| Failure::broken(format!("the page cannot be served: {error}")))?;
    Ok(Exit::Holds)
}

/// Finds the agent by the settings as they are by now.
///
/// # Errors
/// Why it is not found, and a way to look whether it has come.
async fn find(
    args: &CheckArgs,
    own: Option<&OwnAgent>,
    library: &Arc<Library>,
) -> Result<Found, (Failure, Option<Arc<Pulse>>)> {
    let settings = settings::resolve(args.clone()).map_err(|failure| (failure, None))?;
    let Settings { suite, .. } = settings.authorized().await.map_err(|failure| (failure, None))?;
    let suite = match own_agent::find_at(suite.library(Arc::clone(library)), own).await {
        Ok(suite) => suite,
        Err(failure) => {
            let pulse = settings::pulse(args, None).ok();
            return Err((failure, pulse.map(|(pulse, _)| Arc::new(pulse))));
        }
    };
    let (pulse, _) = settings::pulse(args, Some(&suite)).map_err(|failure| (failure, None))?;
    Ok(Found { suite, pulse })
}

fn missing((failure, pulse): (Failure, Option<Arc<Pulse>>)) -> Missing {
    let Failure { message, details, help, .. } = failure;
    Missing { message, details, help, pulse }
}

fn not_listening(port: u16, error: &io::Error) -> Failure {
    let help = "choose another port with --port; 0 takes a free one";
    Failure::new(Exit::Usage, &format!("the page cannot listen on port {port}: {error}"), Some(help))
}
