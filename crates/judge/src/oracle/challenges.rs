//! What a refusal asks for: the challenges of HTTP authentication (RFC 9110, section 11.6.1).

use super::args::{Pair, Step};
use super::card_texts::is_registered;
use super::judgement_of;
use crate::finding::{Finding, Kind, NOTHING};
use crate::interface::scheme::{Scheme, declared};
use crate::reason::Reason;
use crate::transcript::Response;
use crate::wire::challenge;
use crate::{CaseView, Judgement, describe};

/// The header with the challenges of a 401.
const CHALLENGE: &str = "www-authenticate";

/// A 401 asks for what its agent takes: one of its challenges is about a scheme of the card (RFC 9110 sections 11.6.1 and 15.5.2).
/// Keys and certificates have no name among the schemes of HTTP, nor has what a card calls by a name of its own: where the card has
/// one of these, any challenge may be about it. The first step fetched the card, the second was refused.
pub(super) fn challenge_fits(view: CaseView<'_>, args: &Pair<Step>) -> Judgement {
    judgement_of((|| {
        let Pair(card, asked) = args;
        let card = view.step(card)?.seen.root().ok_or(Judgement::Unseen(Reason::CardNotFetched))?;
        let answer = view.heard(asked)?;
        let challenged = answer.exchange.response.as_ref().filter(|response| response.status == 401);
        let asked_for = challenged.map(schemes_asked_for).unwrap_or_default();
        if asked_for.is_empty() {
            return Err(Judgement::Unseen(Reason::NoChallenge { received: describe(answer) }));
        }
        let declared = declared(&card);
        let names: Vec<Vec<&str>> = declared.iter().map(Scheme::challenges).collect();
        let is_asked_for = |name: &&str| asked_for.iter().any(|asked| asked.eq_ignore_ascii_case(name));
        if names.iter().flatten().any(is_asked_for) {
            return Ok(Judgement::Right);
        }
        if names.is_empty() || names.iter().any(|names| !names.iter().any(|name| is_registered(name))) {
            let what = "declares no schemes, or some of which any challenge may be".to_owned();
            return Err(Judgement::Unseen(Reason::CardLacks { what }));
        }
        let finding = Finding::new(Kind::ChallengeForAnotherScheme)
            .compare(names.concat().join(", or "), asked_for.join(", "))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// The schemes that an answer asks for, by the names that they have in challenges.
pub(super) fn schemes_asked_for(response: &Response) -> Vec<&str> {
    challenge::schemes(response.headers_of(CHALLENGE))
}

/// The challenge of an answer with HTTP 401, or that it has none (RFC 9110 section 11.6.1).
pub(super) fn challenge_of(response: &Response) -> Result<&str, Box<Finding>> {
    let missing = || Finding::new(Kind::HeaderMissing { status: "401".to_owned(), name: CHALLENGE.to_owned() });
    response.header(CHALLENGE).ok_or_else(|| Box::new(missing().compare(CHALLENGE, NOTHING)))
}
