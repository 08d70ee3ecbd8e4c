//! Limits of lists and of histories.

use a2a_reference_agent::Version;

use super::check;
use super::gateway::Faulty;

/// <https://github.com/a2aproject/a2a-go/pull/242>
/// 3.2.4: with historyLength 0 "no history" is asked for; 3.1.4 has the same limit for each task of a list.
#[tokio::test]
async fn a_list_without_history_has_history() {
    let agent = Faulty::agent(Version::V1_0).asked(|call| {
        if call.method == "ListTasks" {
            let length = call.params.pointer_mut("/historyLength").filter(|length| **length == 0)?;
            *length = 100.into();
        }
        None
    });
    check(agent, &["1.0-3.1.4-19"]).await;
}

/// <https://github.com/a2aproject/a2a-python/pull/726>
/// 3.3.2 has a negative historyLength as its example of what is invalid.
#[tokio::test]
async fn a_negative_history_length_is_taken() {
    let agent = Faulty::agent(Version::V1_0).asked(|call| {
        for place in ["/historyLength", "/configuration/historyLength"] {
            if let Some(length) =
                call.params.pointer_mut(place).filter(|length| length.as_i64().is_some_and(|length| length < 0))
            {
                *length = 1.into();
            }
        }
        None
    });
    check(agent, &["1.0-3.3.2-2"]).await;
}
