//! How connections are made, as the user says it.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::Exit;
use super::args::TargetArgs;
use super::config::Config;
use super::fail::Failure;
use crate::auth::Caller;
use crate::auth::userinfo::hidden;
use crate::files;
use crate::suite::SuiteBuilder;
use crate::transport::inbound::ServerTls;
use crate::transport::{Dialing, NoPem};

/// What the user says of certificates and hosts, and the flags that say the same again.
pub(super) fn read(args: &TargetArgs, config: &Config) -> Result<(Dialing, Vec<String>), Failure> {
    let (mut dialing, mut flags) = (Dialing::default(), Vec::new());
    let certificates = &args.certificates;
    let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    let shown = |path: &Path| path.display().to_string();
    for path in if certificates.cacert.is_empty() { &config.cacert } else { &certificates.cacert } {
        dialing.trust(&file(path)?).map_err(|error| unusable(path, &error))?;
        flag("--cacert", shown(path));
    }
    let own = match (&certificates.cert, &certificates.key) {
        (Some(chain), Some(key)) => Some((chain, key)),
        _ => pair(config)?,
    };
    if let Some((chain, key)) = own {
        dialing.show(&file(chain)?, &file(key)?).map_err(|error| unusable(chain, &error))?;
        flag("--cert", shown(chain));
        flag("--key", shown(key));
    }
    let hosts = args.resolve.iter().map(|text| text.split_once('=').unwrap_or((text, "")));
    let of_config = config.resolve.iter().map(|(host, address)| (host.as_str(), address.as_str()));
    for (host, address) in of_config.chain(hosts) {
        let found: IpAddr = address.parse().map_err(|_| {
            let message = format!("`resolve` leads {host:?} to {address:?}, which is no IP address");
            Failure::new(Exit::Usage, &message, Some("write it as agent.example.com=127.0.0.1"))
        })?;
        dialing.find_at(host, found);
        flag("--resolve", format!("{host}={address}"));
    }
    match args.proxy.as_ref().or(config.proxy.as_ref()) {
        Some(proxy) => {
            dialing.through(proxy).map_err(|error| Failure::usage(error.to_string()))?;
            flag("--proxy", hidden(proxy));
        }
        None => proxied(&mut dialing)?,
    }
    if args.insecure || config.insecure == Some(true) {
        dialing.verify_nothing();
        flags.push("--insecure".to_owned());
    }
    Ok((dialing, flags))
}

/// How connections are made of which the user says nothing but what the environment has.
pub(super) fn of_environment() -> Result<Dialing, Failure> {
    let mut dialing = Dialing::default();
    proxied(&mut dialing)?;
    Ok(dialing)
}

fn proxied(dialing: &mut Dialing) -> Result<(), Failure> {
    dialing.by_environment().map_err(|error| Failure::usage(error.to_string()))
}

/// Has webhooks received over TLS with this chain of certificates and its key.
pub(super) fn receiving(suite: SuiteBuilder, chain: &Path, key: &Path) -> Result<SuiteBuilder, Failure> {
    let tls = ServerTls::read(&file(chain)?, &file(key)?).map_err(|error| unusable(chain, &error))?;
    let flags = [("--webhook-cert", chain), ("--webhook-key", key)];
    let flags = flags.into_iter().flat_map(|(flag, path)| [flag.to_owned(), path.display().to_string()]);
    Ok(suite.webhook_tls(tls).more_flags(flags))
}

/// Shows a certificate in the name of one caller.
pub(super) fn show_as(dialing: &mut Dialing, caller: Caller, chain: &Path, key: &Path) -> Result<(), Failure> {
    dialing.show_as(caller, &file(chain)?, &file(key)?).map_err(|error| unusable(chain, &error))
}

/// The certificate of the settings file and its key, which go together.
fn pair(config: &Config) -> Result<Option<(&PathBuf, &PathBuf)>, Failure> {
    match (&config.cert, &config.key) {
        (Some(chain), Some(key)) => Ok(Some((chain, key))),
        (None, None) => Ok(None),
        _ => Err(Failure::usage("`cert` and `key` go together: a certificate is shown with its key")),
    }
}

/// The bytes of a file that the user names.
pub(super) fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    files::bytes(path, files::LONGEST)
        .map_err(|error| Failure::usage(format!("the file {} cannot be read: {error}", path.display())))
}

/// That a file holds nothing of use.
pub(super) fn unusable(path: &Path, error: &NoPem) -> Failure {
    Failure::usage(format!("the file {} {error}", path.display()))
}
