//! What the command line can say of a proxy that judges what passes.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::judge::JudgedByArgs;
use super::outcome::OutcomeArgs;
use super::target::{AGENT, CONNECTION, CREDENTIALS, CertificateArgs, OUTPUT, PACE};

/// The heading of the flags that change what passes.
const CHANGES: &str = "Changes to the traffic";

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The proxy passes every request to the agent and every response back. Without --delay, --split and --cut, it changes only the \
                  addresses in the agent card, so that clients come through the proxy, and headers that a reverse proxy must set or remove, \
                  such as Host. It ends on Ctrl-C, after --for, or with COMMAND, which finds the proxy's URL in the \
                  environment variable A2ASPEC_PROXY_URL. The exit codes are the same as for `a2aspec judge`, and 1 if COMMAND fails."
)]
pub(in crate::cli) struct ProxyArgs {
    /// URL of the agent
    #[arg(long, value_name = "URL", required = true)]
    pub to: String,

    /// Address to listen on; port 0 takes a free port. Each other origin of the agent's card, such as the
    /// origin of gRPC, gets the next port, or a free port if this one is 0
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,

    /// Certificate chain (PEM) to serve TLS with; needs --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls: Option<PathBuf>,

    /// Private key of --tls (PEM)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub tls_key: Option<PathBuf>,

    /// End after this many seconds [default: on Ctrl-C, or with COMMAND]
    #[arg(long = "for", value_name = "SECONDS")]
    pub lasting: Option<f64>,

    /// URL or file of the agent card [default: the well-known paths below the agent's URL]
    #[arg(long, help_heading = AGENT, value_name = "URL|FILE")]
    pub card: Option<String>,

    /// Pass the card on with the agent's own addresses: clients that follow them do not come through the proxy
    #[arg(long, help_heading = AGENT)]
    pub keep_card: bool,

    /// Judge only this protocol version; may be repeated [default: every version that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "PROFILE")]
    pub profile: Vec<String>,

    /// Judge only this binding; may be repeated [default: every binding that the card declares]
    #[arg(long, help_heading = AGENT, value_name = "BINDING")]
    pub binding: Vec<String>,

    /// Wait up to this many seconds until the agent serves its card [default: 0]
    #[arg(long, help_heading = PACE, value_name = "SECONDS")]
    pub wait: Option<f64>,

    /// Header for the requests with which the proxy itself fetches the card, in the forms of `a2aspec check --header`; may be repeated
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME: VALUE")]
    pub header: Vec<String>,

    /// Bearer token for the requests with which the proxy itself fetches the card, from an environment variable, a file or a command
    #[arg(long, help_heading = CREDENTIALS, value_name = "env:NAME|file:PATH|command:LINE")]
    pub bearer: Option<String>,

    #[command(flatten)]
    pub certificates: CertificateArgs,

    /// Accept any certificate of the agent. An attacker on the network path can impersonate it
    #[arg(long, help_heading = CONNECTION)]
    pub insecure: bool,

    /// Connect to this address for a host name, such as agent.example.com=127.0.0.1; may be repeated
    #[arg(long, help_heading = CONNECTION, value_name = "HOST=ADDRESS")]
    pub resolve: Vec<String>,

    /// Keep each response back for a random time up to this many milliseconds
    #[arg(long, help_heading = CHANGES, value_name = "MILLISECONDS")]
    pub delay: Option<u64>,

    /// Pass responses on in pieces of a few bytes
    #[arg(long, help_heading = CHANGES)]
    pub split: bool,

    /// Break off this share of the responses, such as 5%
    #[arg(long, help_heading = CHANGES, value_name = "N%", value_parser = share)]
    pub cut: Option<f64>,

    /// Seed of --delay, --split, --cut and --sample [default: 1]
    #[arg(long, help_heading = CHANGES, value_name = "N")]
    pub seed: Option<u64>,

    #[command(flatten)]
    pub by: JudgedByArgs,

    /// Judge and record only a random share of the exchanges, such as 10%
    #[arg(long, help_heading = PACE, value_name = "N%", value_parser = share)]
    pub sample: Option<f64>,

    /// Write every exchange to this HTTP archive, without credentials; `a2aspec judge` reads it
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub record: Option<PathBuf>,

    #[command(flatten)]
    pub outcome: OutcomeArgs,

    /// Program that sends requests through the proxy, with its arguments; the proxy ends when this program ends
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// A share in percent, as a number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>().ok();
    let percent = number.filter(|number| (0.0..=100.0).contains(number));
    percent.map(|number| number / 100.0).ok_or_else(|| "it must be a share from 0% to 100%".to_owned())
}
