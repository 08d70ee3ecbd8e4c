//! The keys of cards that only a case sees, such as the extended card (1.0 section 3.1.11): its signatures are others than
//! those of the public card, and may point elsewhere.

use std::borrow::Cow;

use url::Url;

use crate::case::OracleCall;
use crate::discovery::{JkuError, Trust};
use crate::judge::{Judged, Judgement, StepRecord};
use crate::reason::Reason;
use crate::session::Session;
use crate::transcript::Content;

/// The oracle that verifies signatures.
const VERIFIES: &str = "card-signed";

/// What is trusted where a case has been seen, and the places from which no keys came.
pub(super) struct Trusted<'a> {
    pub trust: Cow<'a, Trust>,
    failed: Vec<(Url, JkuError)>,
}

impl<'a> Trusted<'a> {
    /// Fetches the keys to which the cards of a conversation point, where its signatures are to be verified.
    pub async fn after(session: &'a Session, asked: &[OracleCall], played: &[StepRecord]) -> Self {
        let mut trusted = Self { trust: Cow::Borrowed(session.trust()), failed: Vec::new() };
        if session.trust().hosts.is_empty() || !asked.iter().any(|call| call.name == VERIFIES) {
            return trusted;
        }
        for answer in played.iter().flat_map(|played| played.seen.answers()) {
            if let Content::Result(card) = &answer.content {
                let failed = trusted.trust.to_mut().learn(&session.http, &card.reading.wire).await;
                trusted.failed.extend(failed);
            }
        }
        trusted
    }

    /// Says of a key that is not known that it was looked for.
    pub fn explain(&self, mut judged: Judged) -> Judged {
        if let (Judgement::Unseen(reason @ Reason::NoKeyFor { .. }), Some((jku, error))) =
            (&mut judged.judgement, self.failed.first())
        {
            *reason = Reason::NoKeysAt { jku: jku.to_string(), how: error.to_string() };
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::oracle;

    #[test]
    fn a_key_that_was_looked_for_in_vain_is_said_to_be_so() {
        let jku = Url::parse("https://keys.example/a").unwrap();
        let failed = vec![(jku, JkuError::Status(404))];
        let trusted = Trusted { trust: Cow::Owned(Trust::default()), failed };
        let unseen = |reason: Reason| trusted.explain(Judgement::Unseen(reason).into()).judgement;
        let Judgement::Unseen(reason) = unseen(Reason::NoKeyFor { id: "a".to_owned() }) else { panic!("it is unseen") };
        assert!(reason.to_string().contains("https://keys.example/a: HTTP 404"), "{reason}");
        assert_eq!(unseen(Reason::NoCard), Judgement::Unseen(Reason::NoCard));
    }

    #[test]
    fn the_oracle_has_that_name() {
        assert!(oracle::all().iter().any(|oracle| oracle.name == VERIFIES));
    }
}
