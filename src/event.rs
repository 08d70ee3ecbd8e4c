//! What a run tells while it runs: the contract between doing and telling.

use std::sync::Arc;

use crate::interface::TargetInfo;
use crate::transcript::Exchange;
use crate::verdict::TrialResult;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// It is known how the agent speaks over each of its interfaces; nothing has been judged yet.
    Met(TargetInfo),
    /// A trial begins.
    Started {
        /// Its case.
        case: String,
    },
    /// A trial is over. Every trial of the plan ends exactly once, in no order.
    Finished {
        /// How it came out.
        result: Box<TrialResult>,
        /// The exchanges that its findings cite: nobody else keeps them.
        cited: Vec<Arc<Exchange>>,
    },
    /// An exchange is over.
    Exchanged(Arc<Exchange>),
    /// An interface stopped answering, or never did: its cases cannot be reached any more.
    Lost {
        /// Which: its place among those that are checked.
        interface: usize,
        /// What became of it.
        reason: String,
    },
    /// The run is over.
    Done {
        /// How many messages the agent was sent.
        messages_sent: u64,
        /// Why it ended before its plan did, if it did.
        stopped: Option<String>,
    },
}
