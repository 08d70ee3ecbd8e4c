//! `a2aspec agent`: serves the reference agent.

use std::net::SocketAddr;

use a2a_reference_agent::{Config, Fault, Issuer, Scheme, Tls, Variation, Version};

use super::args::{AgentArgs, Varied};
use super::dialing::file;
use super::fail::{Failure, profile};
use super::{Exit, print, signals};
use crate::discovery::triggers::Preset;

/// Serves until Ctrl-C, SIGTERM or SIGHUP, and anew after each SIGUSR1.
pub(super) async fn run(args: &AgentArgs) -> Result<Exit, Failure> {
    if args.list_faults {
        let faults = Fault::all().map_err(|error| Failure::broken(format!("faults.yaml: {error}")))?;
        let forms = Fault::forms();
        let planted = Fault::planted().map_err(|error| Failure::broken(format!("planted.yaml: {error}")))?;
        let of_file = faults.iter().chain(planted).map(|fault| (fault.id.as_str(), fault.breaks.as_str()));
        let lines = of_file.chain(forms).map(|(id, breaks)| format!("{id:<44} {breaks}\n"));
        return print::found(lines.collect::<String>());
    }
    if args.list_variations {
        let all = Variation::all().map_err(|error| Failure::broken(format!("variations.yaml: {error}")))?;
        let lines = all.iter().map(|variation| format!("{:<44} {}\n", variation.id, variation.what));
        return print::found(lines.collect::<String>());
    }
    let (variations, random) = variations(args)?;
    let stop = signals::heard()?;
    let tls = match (&args.tls, &args.tls_key) {
        (Some(chain), Some(key)) => Some(Tls { chain: file(chain)?, key: file(key)? }),
        _ => None,
    };
    let only = args.only.as_deref().map(version).transpose()?;
    let config = Config {
        only,
        tls,
        host: args.name.clone(),
        schemes: schemes(args)?,
        issuer: issuer(args)?,
        client_authorities: args.tls_client_ca.as_deref().map(file).transpose()?,
        without: args.without.iter().copied().collect(),
        rest_dialect: args.rest_dialect,
        triggers: args.triggers.map(|preset| match preset {
            Preset::A2aTck => a2a_reference_agent::Preset::A2aTck,
            Preset::Acts => a2a_reference_agent::Preset::Acts,
        }),
        streams_await_credentials: args.keep_auth_streams,
        scatters_ids: args.scatter_ids,
        delivers_anywhere: args.deliver_anywhere,
        webhook_authorities: args.webhook_cacert.as_deref().map(file).transpose()?,
        users: args.users.clone(),
        tenants: args.tenants.clone(),
        requires_extension: args.require_extension,
        more_replicas: usize::from(args.replicas) - 1,
        unshared: args.unshared.iter().copied().collect(),
        faults: args.fault.clone(),
        variations,
        random_variations: random,
        ..Config::default()
    };
    let address = SocketAddr::new(args.host, args.port);
    let mut restarts = signals::Restarts::new()?;
    let mut agent = a2a_reference_agent::start(config, address).await.map_err(|error| {
        if error.kind() == std::io::ErrorKind::InvalidInput {
            return Failure::usage(error.to_string());
        }
        Failure::new(
            Exit::Usage,
            &format!("the agent cannot listen on {address}: {error}"),
            Some("choose another port with --port; 0 takes a free one"),
        )
    })?;
    let interfaces = agent.interfaces();
    let interfaces = interfaces.iter().map(|(url, what)| format!("  {what} at {url}\n")).collect::<String>();
    let url = agent.url();
    // Two versions have cards that look alike, so the suite must be told which it is.
    let profile = only.map(|version| format!(" --profile {version}")).unwrap_or_default();
    let chosen =
        random.map(|seed| format!("  another variation with each exchange (--seed {seed})\n")).unwrap_or_default();
    let replicas = agent.replicas().iter().map(|url| format!("  replica at {url}\n")).collect::<String>();
    let turns = agent.replicas().iter().map(|url| format!(" --replica {url}")).collect::<String>();
    let check = format!("check it with: a2aspec check {url}{profile}{turns}\n");
    print::out(&format!("reference agent at {url}\n{interfaces}{replicas}{chosen}{check}"))?;
    loop {
        tokio::select! {
            () = signals::stopped(&stop) => break,
            () = restarts.next() => {
                let restarted = agent.restart().await;
                restarted.map_err(|error| Failure::new(Exit::Usage, &format!("the agent cannot restart: {error}"), None))?;
            }
        }
    }
    agent.stop().await;
    Ok(Exit::Holds)
}

/// The variations of the agent, and the seed where they take turns.
///
/// # Errors
/// One is named beside `random`, or a seed without it.
fn variations(args: &AgentArgs) -> Result<(Vec<&'static Variation>, Option<u64>), Failure> {
    let named = args.variation.iter().filter_map(|varied| match varied {
        Varied::By(variation) => Some(*variation),
        Varied::Random => None,
    });
    let named: Vec<&'static Variation> = named.collect();
    match (named.len() == args.variation.len(), named.is_empty()) {
        (true, _) if args.seed.is_some() => {
            Err(Failure::new(Exit::Usage, "--seed is for --variation random", Some("leave out --seed")))
        }
        (true, _) => Ok((named, None)),
        (false, false) => Err(Failure::new(
            Exit::Usage,
            "--variation random goes with no other --variation",
            Some("give either `random` or ids"),
        )),
        (false, true) => {
            let all = Variation::all().map_err(|error| Failure::broken(format!("variations.yaml: {error}")))?;
            let seed = args.seed.unwrap_or_else(|| {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                u64::from(since.subsec_nanos())
            });
            Ok((all.iter().filter(|variation| variation.is_of_exchanges()).collect(), Some(seed)))
        }
    }
}

/// How users show who they are.
///
/// # Errors
/// Where what a scheme takes is missing, or is given for none.
fn schemes(args: &AgentArgs) -> Result<Vec<Scheme>, Failure> {
    let is_of_issuer = |scheme: &Scheme| matches!(scheme, Scheme::Oauth2 | Scheme::OpenId);
    let needed = [
        (args.schemes.iter().any(is_of_issuer), args.oauth_issuer.is_some(), "oauth2 or openid", "--oauth-issuer URL"),
        (args.schemes.contains(&Scheme::Mtls), args.tls_client_ca.is_some(), "mtls", "--tls-client-ca FILE"),
    ];
    for (is_named, is_given, scheme, flag) in needed {
        let help = match (is_named, is_given) {
            (true, false) => format!("give it with {flag}"),
            (false, true) => format!("name the scheme with --auth, or leave out {flag}"),
            _ => continue,
        };
        return Err(Failure::new(Exit::Usage, &format!("--auth {scheme} and {flag} go together"), Some(&help)));
    }
    Ok(match args.schemes.as_slice() {
        [] => Config::default().schemes,
        named => named.to_vec(),
    })
}

/// Who gives the tokens of users.
fn issuer(args: &AgentArgs) -> Result<Option<Issuer>, Failure> {
    let of = |url: &String| Issuer::new(url, args.oauth_token_url.as_deref());
    args.oauth_issuer.as_ref().map(of).transpose().map_err(|error| Failure::usage(error.to_string()))
}

/// The version of a name, which is that of its profile.
fn version(name: &str) -> Result<Version, Failure> {
    profile(name)?
        .name()
        .parse()
        .map_err(|error| Failure::broken(format!("the reference agent lacks a version: {error}")))
}
