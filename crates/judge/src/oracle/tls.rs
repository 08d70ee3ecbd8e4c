//! What is below HTTP: whether there is TLS, and on what a server agrees.

use url::{Host, Url};

use super::args::{Offered, Step};
use super::judgement_of;
use crate::finding::{Finding, Kind, NOTHING};
use crate::interface::is_public;
use crate::reason::Reason;
use crate::transcript::{Answer, Ended};
use crate::wire::tls::{Offer, ServerReply};
use crate::{CaseView, Judgement};

/// What keeps clients to HTTPS (RFC 6797 section 6.1).
const HSTS: &str = "strict-transport-security";

/// What was asked for was brought over TLS, where it is at a public address (1.0 sections 4.4.6, 7.1, 10.1, 13.4 and 14.3).
pub(super) fn encrypted(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let answer = view.heard(args)?;
        let url = url_of(answer)?;
        if url.scheme() == "https" {
            return Ok(Judgement::Right);
        }
        if !is_public(&url) {
            return Err(Judgement::Unseen(Reason::NotPublic));
        }
        let finding = Finding::new(Kind::NotEncrypted).compare("https", url.scheme());
        Ok(Judgement::Wrong(vec![finding.in_exchange(answer.exchange.number)]))
    })())
}

/// A server that agrees on TLS with this client, as the step `served` shows, refuses what the step `offer` offers. Any refusal
/// is right; an answer that fits no offer shows nothing.
pub(super) fn refused(view: CaseView<'_>, args: &Offered) -> Judgement {
    judgement_of((|| {
        if url_of(view.heard(&args.served)?)?.scheme() != "https" {
            return Err(Judgement::Unseen(Reason::NotEncrypted));
        }
        let answer = view.heard(&args.offer)?;
        let (offer, reply) = match &answer.exchange.ended {
            Ended::Closed | Ended::Hello(_, ServerReply::Alert(_)) => return Ok(Judgement::Right),
            Ended::Hello(offer, reply) if offer.is_taken_up_by(reply) => (offer, reply),
            other => return Err(Judgement::Unseen(Reason::OtherAnswer { received: other.to_string() })),
        };
        let kind = match offer {
            Offer::OldVersions => Kind::OldTlsAccepted,
            Offer::WeakCiphers => Kind::WeakCipherAccepted,
        };
        let finding = Finding::new(kind).compare("an alert, or the end of the connection", reply.to_string());
        Ok(Judgement::Wrong(vec![finding.in_exchange(answer.exchange.number)]))
    })())
}

/// Clients are kept to HTTPS (1.0 section 13.4), for some time (RFC 6797 section 6.1.1). They are told by a host with a name only
/// (section 8.1.1), and over TLS only (section 7.2).
pub(super) fn hsts(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let answer = view.heard(args)?;
        let url = url_of(answer)?;
        if url.scheme() != "https" {
            return Err(Judgement::Unseen(Reason::NotEncrypted));
        }
        if !matches!(url.host(), Some(Host::Domain(_))) {
            return Err(Judgement::Unseen(Reason::NoNameForHsts));
        }
        let value = answer.exchange.response.as_ref().and_then(|response| response.header(HSTS));
        if value.and_then(max_age).is_some_and(|seconds| seconds > 0) {
            return Ok(Judgement::Right);
        }
        let finding =
            Finding::new(Kind::HstsMissing).compare(format!("{HSTS}: max-age=31536000"), value.unwrap_or(NOTHING));
        Ok(Judgement::Wrong(vec![finding.in_exchange(answer.exchange.number)]))
    })())
}

/// The seconds for which a client keeps to HTTPS; names of directives have no case, and a value may be quoted.
fn max_age(value: &str) -> Option<u64> {
    let directives = value.split(';').filter_map(|directive| directive.split_once('='));
    let mut ages = directives.filter(|(name, _)| name.trim().eq_ignore_ascii_case("max-age"));
    ages.next().and_then(|(_, age)| age.trim().trim_matches('"').parse().ok())
}

fn url_of(answer: &Answer) -> Result<Url, Judgement> {
    let url = Url::parse(&answer.exchange.request.url);
    url.map_err(|_| Judgement::Unseen(Reason::mistake(format!("{} is no URL", answer.exchange.request.url))))
}
