//! Which implementation of TLS all clients use.

/// Makes sure that this process has a provider of cryptography for TLS: ours, unless whoever embeds the library chose one.
pub(super) fn provide() {
    // An error says that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
