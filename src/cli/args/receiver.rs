//! What the command line can say of the receiver of webhooks.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::WEBHOOKS;

#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct ReceiverArgs {
    /// Receive what the agent posts to webhooks at this address, such as 0.0.0.0:9000 [default: a free port of the loopback
    /// interface]
    #[arg(long, help_heading = WEBHOOKS, value_name = "ADDR")]
    pub webhook_listen: Option<String>,

    /// Tell the agent this URL of webhooks, which leads to the address of --webhook-listen by a tunnel or an ingress.
    /// What its query says is masked in every output
    #[arg(long, help_heading = WEBHOOKS, value_name = "URL")]
    pub webhook_url: Option<String>,

    /// Receive over TLS, with a certificate that is made for the run
    #[arg(long, help_heading = WEBHOOKS, conflicts_with = "webhook_cert")]
    pub webhook_tls: bool,

    /// Receive over TLS, with this chain of certificates (PEM) and the key of --webhook-key
    #[arg(long, help_heading = WEBHOOKS, value_name = "FILE", requires = "webhook_key")]
    pub webhook_cert: Option<PathBuf>,

    /// The private key of --webhook-cert (PEM)
    #[arg(long, help_heading = WEBHOOKS, value_name = "FILE", requires = "webhook_cert")]
    pub webhook_key: Option<PathBuf>,
}
