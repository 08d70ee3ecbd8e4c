//! What the command line can say of webhooks.

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct WebhookArgs {
    #[command(subcommand)]
    pub command: WebhookCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum WebhookCommand {
    /// Print a URL, and whatever is posted there as it comes, until Ctrl-C
    Listen(WebhookListenArgs),
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct WebhookListenArgs {
    /// Receive at this address, such as 0.0.0.0:9000 [default: a free port of the loopback interface]
    #[arg(long, value_name = "ADDR")]
    pub webhook_listen: Option<String>,

    /// Print this URL, which leads to the address of --webhook-listen by a tunnel or an ingress
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,

    /// Answer deliveries with this HTTP status
    #[arg(long, value_name = "STATUS", default_value_t = 200, value_parser = clap::value_parser!(u16).range(200..=599))]
    pub status: u16,

    /// End after so many deliveries
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
}
