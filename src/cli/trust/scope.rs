//! For which agents the credentials of a settings file are: for those at the origins that the file names.

use super::brought::{self, Brought};
use crate::auth::origin::{self, Origin};
use crate::auth::userinfo::hidden;
use crate::cli::Exit;
use crate::cli::args::TargetArgs;
use crate::cli::config::{Config, Place};
use crate::cli::fail::Failure;
use crate::diagnostic::words::list;
use crate::discovery::bases::parts;

/// The URLs at which a run reaches the agent: its URL, the base URLs and the replicas. Flags win over the file.
fn targets<'a>(args: &'a TargetArgs, config: &'a Config) -> Vec<&'a str> {
    let bases = if args.base_url.is_empty() { &config.base_url } else { &args.base_url };
    let url = args.url.as_deref().or(config.url.as_deref());
    let replicas = if args.replicas.is_empty() { &config.replica } else { &args.replicas };
    url.into_iter().chain(bases.iter().chain(replicas).map(|base| parts(base).1)).collect()
}

/// The origins that the file names.
fn own(config: &Config) -> Vec<Origin> {
    let bases = config.base_url.iter().chain(&config.replica).map(|base| parts(base).1);
    let all = config.url.as_deref().into_iter().chain(bases).chain(config.allow_origin.iter().map(String::as_str));
    all.filter_map(origin::of).collect()
}

/// The settings with their credentials, if these are for the agent of the run; and else without them, with a sentence about that.
///
/// # Errors
/// A flag names an identity of the file, whose credentials are not for this agent.
pub(super) fn narrowed(args: &TargetArgs, config: &Config) -> Result<(Config, Option<String>), Failure> {
    let own = own(config);
    let brought = brought::of_run(args, config);
    // Who names a file that names no agent, and an agent, puts them together.
    let is_for_any = own.is_empty() && matches!(config.place, Place::Named { .. } | Place::Nowhere);
    let is_allowed = |url: &&str| {
        let allowed = args.allow_origin.iter().filter_map(|allowed| origin::of(allowed));
        origin::of(url).is_some_and(|origin| own.contains(&origin) || allowed.into_iter().any(|one| one == origin))
    };
    let others: Vec<String> = targets(args, config)
        .into_iter()
        .filter(|url| !is_allowed(url))
        .map(|url| hidden(&origin::shown(url)))
        .collect();
    if brought.is_empty() || is_for_any || others.is_empty() {
        return Ok((config.clone(), None));
    }
    let own: Vec<String> = own.iter().map(Origin::ascii_serialization).collect();
    let (file, others) = (config.place.shown(), list(&others));
    let whose = match own.is_empty() {
        true => "the file names no agent".to_owned(),
        false => format!("they are for {}", list(&own)),
    };
    let flags = [args.as_identity.as_ref(), args.other.as_ref()];
    let of_file = brought::identities(args, config).map(|(name, _)| name);
    if let Some(name) = of_file.into_iter().find(|name| flags.contains(&Some(*name))) {
        let message = format!("the credentials of the identity `{name}` in {file} are not for {others}: {whose}");
        return Err(Failure::new(Exit::Usage, &message, Some(&help(&others))));
    }
    let names: Vec<String> = brought.iter().map(|Brought { what, .. }| what.clone()).collect();
    let told = format!(
        "warning: credentials of {file} are not sent to {others}: {whose}. Not used: {}. {}",
        list(&names),
        help(&others)
    );
    Ok((config.without_credentials(), Some(told)))
}

fn help(others: &str) -> String {
    format!("To use them there, add it to `allow-origin` in the file, or pass --allow-origin {others}")
}
