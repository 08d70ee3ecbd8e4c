//! What the command line can say of an agent that is compared with itself.

use clap::Args as ClapArgs;

use super::check::SelectionArgs;
use super::receiver::ReceiverArgs;
use super::target::{AGENT, CREDENTIALS, OWN, TargetArgs};

/// What the flags of a check are for that make no sense here.
const NOT_HERE: [&str; 2] = ["sarif_location", "trace"];

#[derive(Debug, ClapArgs)]
#[command(
    mut_args = hidden,
    after_help = "Reports are terminal, json and markdown. The exit code is 0 without differences and 1 with some; 3 if one side cannot be \
                  reached or has no usable card, or if no case could be tested. Each difference in responses is tested twice more, and only those that occur each time are \
                  reported. Cards and lists of interfaces are compared once. --card and --base-url apply to the direct side, --gateway-... to the gateway, and all other flags to both."
)]
pub(in crate::cli) struct CompareArgs {
    #[command(flatten)]
    pub target: TargetArgs,

    /// URL of the same agent behind the gateway, or of its other release
    #[arg(value_name = "GATEWAY_URL", required = true)]
    pub gateway: String,

    /// Call the interfaces of the gateway's card at this URL, in the same way as --base-url for the direct card; may be repeated
    #[arg(long, help_heading = AGENT, value_name = "[BINDING=]URL")]
    pub gateway_base_url: Vec<String>,

    /// URL or file of the card at the gateway [default: the well-known paths below GATEWAY_URL]
    #[arg(long, help_heading = AGENT, value_name = "URL|FILE")]
    pub gateway_card: Option<String>,

    /// Additional header for requests through the gateway only. Values have the same forms as in --header; may be repeated
    #[arg(long, help_heading = CREDENTIALS, value_name = "NAME: VALUE")]
    pub gateway_header: Vec<String>,

    /// Bearer token for requests through the gateway, instead of --bearer
    #[arg(long, help_heading = CREDENTIALS, value_name = "env:NAME|file:PATH|command:LINE")]
    pub gateway_bearer: Option<String>,

    #[command(flatten)]
    pub selection: SelectionArgs,

    #[command(flatten)]
    pub receiver: ReceiverArgs,
}

/// Hides flags that are about other commands, and says of others what they do here.
fn hidden(arg: clap::Arg) -> clap::Arg {
    let is_of_agent = arg.get_help_heading() == Some(OWN);
    match arg.get_id().as_str() {
        id if is_of_agent || NOT_HERE.contains(&id) => arg.hide(true),
        "header" => arg.help(
            "Header for every request to the origins of DIRECT_URL and GATEWAY_URL, such as 'X-Api-Key: env:KEY'. env:NAME reads an \
             environment variable, file:PATH a file, command:LINE the output of a shell command; any other value is sent as written. \
             Masked in every output",
        ),
        "bearer" => arg.help(
            "Bearer token for every request to the origins of DIRECT_URL and GATEWAY_URL, from an environment variable, a file or a \
             command",
        ),
        "allow_origin" => arg.help(
            "Also send credentials to this origin, such as https://grpc.agent.example; may be repeated [default: only the origins of \
             DIRECT_URL, GATEWAY_URL, --base-url and --gateway-base-url]",
        ),
        "max_messages" => arg.help(
            "Send at most this many messages to each side each time that cases run. Cases for which no messages remain are not tested",
        ),
        "card" => arg.help("URL or file of the agent card [default: the well-known paths below DIRECT_URL]"),
        "url" => arg.value_name("DIRECT_URL").required(true).help("URL of the agent itself"),
        "fail_on" => arg.help("With `never`, exit with 0 even if there are differences; with `must` and `should`, exit with 1 [default: must]")
            .hide_possible_values(true),
        "base_url" => arg.help(
            "Call the interfaces of the direct card at this URL: its scheme, host and port replace those in the card, and its path comes \
             before each interface's path. A prefix (jsonrpc=, http-json=, grpc=) limits it to one binding and takes precedence; may be \
             repeated",
        ),
        "report" => arg.help(
            "Write the comparison to standard output or to a file: terminal, json or markdown; may be repeated [default: terminal]",
        ),
        _ => arg,
    }
}
