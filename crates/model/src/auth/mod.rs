//! Identities and the origins that they belong to: nothing is ever sent to another.
//!
//! Enters: headers and URLs, as the user and cards write them. Leaves: [`Credentials`], which say for each URL which headers
//! go there. Knows nothing of A2A, and sends nothing.

mod caller;
mod credentials;
pub mod given;
pub mod origin;
pub mod token;
pub mod userinfo;

pub use caller::Caller;
pub use credentials::{Credentials, Header, Identity, Parameter};
pub use given::Given;
pub use given::HeaderError;
pub use origin::Origin;
pub use token::Token;
pub use userinfo::Userinfo;
