//! Identities and the origins that they belong to: nothing is ever sent to another.
//!
//! Enters: headers and URLs, as the user and cards write them. Leaves: [`Credentials`], which say for each URL which headers
//! go there. Knows nothing of A2A, and sends nothing.

mod credentials;
pub mod given;
pub mod origin;
pub mod userinfo;

pub use credentials::{Credentials, Header, Identity};
pub use given::Given;
pub use origin::Origin;
pub use userinfo::Userinfo;
