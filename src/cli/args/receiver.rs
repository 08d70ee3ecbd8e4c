//! What the command line can say of the receiver of webhooks.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::target::WEBHOOKS;

#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct ReceiverArgs {
    /// Receive webhook deliveries at this address, such as 0.0.0.0:9000 [default: a free port on the loopback interface]
    #[arg(long, help_heading = WEBHOOKS, value_name = "ADDR")]
    pub webhook_listen: Option<String>,

    /// Give the agent this webhook URL; it must lead to --webhook-listen, for example through a tunnel. Its query is masked in
    /// every output
    #[arg(long, help_heading = WEBHOOKS, value_name = "URL")]
    pub webhook_url: Option<String>,

    /// Receive over TLS, with a certificate generated for the run
    #[arg(long, help_heading = WEBHOOKS, conflicts_with = "webhook_cert")]
    pub webhook_tls: bool,

    /// Receive over TLS, with this certificate chain (PEM); needs --webhook-key
    #[arg(long, help_heading = WEBHOOKS, value_name = "FILE", requires = "webhook_key")]
    pub webhook_cert: Option<PathBuf>,

    /// Private key of --webhook-cert (PEM)
    #[arg(long, help_heading = WEBHOOKS, value_name = "FILE", requires = "webhook_cert")]
    pub webhook_key: Option<PathBuf>,
}
