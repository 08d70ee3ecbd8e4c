//! What the command line can say of the agent that the program brings along.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::discovery::triggers::Preset;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct AgentArgs {
    /// Address to listen on. Beyond the loopback interface, webhooks in private networks are refused, this machine's among them,
    /// unless --deliver-anywhere is given
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,

    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8080)]
    pub port: u16,

    /// Speak this protocol version alone, as `a2aspec profiles` names it, with a card that says nothing of the others
    #[arg(long, value_name = "VERSION")]
    pub only: Option<String>,

    /// Capabilities to leave out: streaming, push, extended-card
    #[arg(long, value_name = "CAPABILITY", value_delimiter = ',')]
    pub without: Vec<a2a_reference_agent::Capability>,

    /// Speak this dialect of A2A 0.3 over HTTP+JSON alone: json or proto [default: both, each task in that of its messages]
    #[arg(long, value_name = "DIALECT")]
    pub rest_dialect: Option<a2a_reference_agent::RestDialect>,

    /// Refuse requests that do not ask for the extension urn:a2aspec:echo:v1, in versions that have extensions
    #[arg(long)]
    pub require_extension: bool,

    /// Understand a known set of triggers beside the agent's own words: a2a-tck, the prefixes of the official kit's message ids; or acts, the texts of ACTS
    #[arg(long, value_name = "PRESET", hide_possible_values = true)]
    pub triggers: Option<Preset>,

    /// Keep streams open at auth-required, as where credentials come outside the protocol, in 1.0 and its draft
    #[arg(long)]
    pub keep_auth_streams: bool,

    /// Make ids of which none tells of another, as most agents do, in place of counted ones
    #[arg(long)]
    pub scatter_ids: bool,

    /// Post push notifications to any host, and not only to the loopback interface
    #[arg(long)]
    pub deliver_anywhere: bool,

    /// Trust this certificate (PEM) where push notifications are posted over TLS, beside those of this machine
    #[arg(long, value_name = "FILE")]
    pub webhook_cacert: Option<PathBuf>,

    /// Serve by TLS alone, with this chain of certificates (PEM) and the key of --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls: Option<PathBuf>,

    /// The private key of --tls (PEM)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub tls_key: Option<PathBuf>,

    /// Host in the URLs of the card, such as the name in the certificate [default: the address that is listened on]. Requests for
    /// any other host are refused, apart from loopback and the address that is listened on. With a name other than localhost,
    /// webhooks in private networks are refused
    #[arg(long, value_name = "HOST")]
    pub name: Option<String>,

    /// Somebody who may ask: then each must show who they are, and sees what is theirs alone; may be repeated. With :expired or
    /// :wrong-audience behind it a token is refused, and with :narrow it does not allow to send messages
    #[arg(long = "user", value_name = "NAME=TOKEN[:STANDING]")]
    pub users: Vec<a2a_reference_agent::User>,

    /// A tenant: the card of 1.0 declares interfaces for it beside those without one, and what is made there is there alone; may be
    /// repeated
    #[arg(long = "tenant", value_name = "NAME")]
    pub tenants: Vec<a2a_reference_agent::Tenant>,

    /// How users show who they are; may be repeated, and then any one will do: bearer, basic (name and token as password),
    /// api-key=header:NAME, api-key=query:NAME, api-key=cookie:NAME, oauth2 and openid (the token as a bearer token), mtls (a
    /// certificate with NAME as a DNS name of its subject). Over gRPC, a key in a header is metadata, and one in a query or a
    /// cookie is refused [default: bearer]
    #[arg(long = "auth", value_name = "SCHEME", requires = "users")]
    pub schemes: Vec<a2a_reference_agent::Scheme>,

    /// The issuer that the card names for --auth oauth2 and openid; who shows the token of a user is let in, whoever gave it
    #[arg(long, value_name = "URL", requires = "schemes")]
    pub oauth_issuer: Option<String>,

    /// Where the issuer gives tokens [default: /token below its URL]
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    pub oauth_token_url: Option<String>,

    /// The certificates (PEM) of those who certify users, for --auth mtls
    #[arg(long, value_name = "FILE", requires_all = ["tls", "schemes"])]
    pub tls_client_ca: Option<PathBuf>,

    /// Be wrong in this way, so that checks can be seen to fail; may be repeated
    #[arg(long, value_name = "ID", value_parser = a2a_reference_agent::Fault::find)]
    pub fault: Vec<&'static a2a_reference_agent::Fault>,

    /// List the ways of being wrong instead
    #[arg(long, conflicts_with = "fault")]
    pub list_faults: bool,
}
