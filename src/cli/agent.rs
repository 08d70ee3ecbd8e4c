//! `a2aspec agent`: serves the reference agent.

use std::net::SocketAddr;

use a2a_reference_agent::{Config, Fault};

use super::Exit;
use super::args::AgentArgs;
use super::fail::Failure;

/// Serves until Ctrl-C.
pub(super) async fn run(args: &AgentArgs) -> Result<Exit, Failure> {
    if args.list_faults {
        let faults = Fault::all().map_err(|error| Failure::broken(format!("faults.yaml: {error}")))?;
        for fault in faults {
            anstream::println!("{:<44} {}", fault.id, fault.breaks);
        }
        return Ok(Exit::Holds);
    }
    let config = Config {
        without: args.without.iter().copied().collect(),
        rest_form: args.rest_form,
        faults: args.fault.clone(),
        ..Config::default()
    };
    let address = SocketAddr::new(args.host, args.port);
    let agent = a2a_reference_agent::start(config, address).await.map_err(|error| {
        Failure::new(
            Exit::Usage,
            &format!("the agent cannot listen on {address}: {error}"),
            Some("choose another port with --port; 0 takes a free one"),
        )
    })?;
    anstream::println!("reference agent at {}", agent.url());
    for (url, what) in agent.interfaces() {
        anstream::println!("  {what} at {url}");
    }
    anstream::println!("check it with: a2aspec check {}", agent.url());
    if let Err(error) = tokio::signal::ctrl_c().await {
        return Err(Failure::broken(format!("Ctrl-C cannot be waited for: {error}")));
    }
    agent.stop().await;
    Ok(Exit::Holds)
}
