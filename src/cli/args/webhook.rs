//! What the command line can say of webhooks.

use clap::{Args as ClapArgs, Subcommand};

use super::receiver::ReceiverArgs;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct WebhookArgs {
    #[command(subcommand)]
    pub command: WebhookCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum WebhookCommand {
    /// Print a URL and each request that it receives, until Ctrl-C
    Listen(WebhookListenArgs),
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct WebhookListenArgs {
    #[command(flatten)]
    pub receiver: ReceiverArgs,

    /// Answer deliveries with this HTTP status
    #[arg(long, value_name = "STATUS", default_value_t = 200, value_parser = clap::value_parser!(u16).range(200..=599))]
    pub status: u16,

    /// Exit after this many deliveries
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
}
