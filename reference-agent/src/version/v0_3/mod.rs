//! A2A 0.3: JSON with `kind` discriminators (0.3, section 6). `kin` is what older versions lack of it.

mod errors;
mod names;
pub mod proto;
mod read;
pub mod rest;
mod traits;
mod write;

pub use errors::write_error;
pub use names::Role;
pub use read::{PushNotificationConfig, in_words_of_0_3, push_config, read, task_id};
pub use traits::{V0_2_1, V0_2_5, V0_3, VersionTraits};
pub use write::{PushNotificationAuthenticationInfo, write_answer, write_event};
