//! How the agent deals with webhooks: with receivers that redirect, fail or do not answer, with addresses that it should not call,
//! and in which course it tells of a task.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use super::args::{
    AnswerHeldUp, AskedAndDeliveries, CredentialsKept, Deliveries, DeliveriesAndStream, DeliveryToken, HeldUp,
    RefusedAddresses,
};
use super::deliveries::{result, some};
use super::sent::how;
use super::{judgement_of, streams, tasks};
use crate::finding::{Finding, Kind};
use crate::reason::Reason;
use crate::transcript::{Answer, Request, state_in};
use crate::{CaseView, Delivered, Judgement};

/// The names of webhooks are longer than segments that a path has by chance.
const LEAST_OF_A_NAME: usize = 16;
/// In which field agents bring the token of a configuration (0.3, topic "Streaming & Asynchronous Operations").
const TOKEN: &str = "x-a2a-notification-token";

/// What came to another origin does not bring what was brought to the address of the configuration.
pub(super) fn credentials_kept(view: CaseView<'_>, args: &CredentialsKept) -> Judgement {
    judgement_of((|| {
        let posted = some(view.delivered(&args.deliveries)?)?;
        let is_brought =
            |secret: &&String| posted.answers.iter().any(|answer| brings(&answer.exchange.request, secret));
        let secrets: Vec<&String> = args.secrets.iter().filter(is_brought).collect();
        if secrets.is_empty() {
            return Err(Judgement::Unseen(Reason::NothingToTakeAlong));
        }
        let taken = view.delivered(&args.elsewhere)?.answers.iter().filter_map(|answer| {
            let request = &answer.exchange.request;
            let secret = secrets.iter().find(|secret| brings(request, secret))?;
            let received = format!("{secret:?} at {}", request.url);
            let finding = Finding::new(Kind::DeliveryTakesCredentials).compare("none of the credentials", received);
            Some(finding.in_exchange(answer.exchange.number))
        });
        Ok(Judgement::of(tasks::first_few(taken)))
    })())
}

/// Whether a request brings a secret in its head.
fn brings(request: &Request, secret: &str) -> bool {
    request.url.contains(secret) || request.headers.iter().any(|(_, value)| value.contains(secret))
}

/// After a first delivery that has failed something more is posted: the same once again, or what happened next.
pub(super) fn go_on(view: CaseView<'_>, args: &Deliveries) -> Judgement {
    judgement_of((|| {
        let delivered = some(view.delivered(args)?)?;
        let [first] = delivered.answers.as_slice() else { return Ok(Judgement::Right) };
        let told = result(first).map(|payload| &*payload.reading.value);
        let Some(told) = told.filter(|told| streams::kind(told).is_some()) else {
            return Err(Judgement::Unseen(Reason::NoUpdate));
        };
        if tells_end(view, told) {
            return Err(Judgement::Unseen(Reason::EndToldAtOnce));
        }
        let received = format!("nothing more within {} s", delivered.limit.as_secs_f32());
        let finding = Finding::new(Kind::DeliveriesEnded).compare("the end of the task", received);
        Ok(Judgement::Wrong(vec![finding.in_exchange(first.exchange.number)]))
    })())
}

/// Each delivery is for the path and the query of its configuration. Of a receiver behind a proxy, what comes before the name of the webhook
/// is not known here.
pub(super) fn target(view: CaseView<'_>, args: &AskedAndDeliveries) -> Judgement {
    judgement_of((|| {
        let delivered = some(view.delivered(&args.deliveries)?)?;
        let asked = view.heard(&args.asked)?;
        let url = address(&asked.exchange.request.params).and_then(|url| Url::parse(url).ok());
        let Some(url) = url else { return Err(Judgement::Unseen(Reason::NothingOf { step: args.asked.to_string() })) };
        let is_elsewhere = |answer: &&Answer| {
            let target = Url::parse(&answer.exchange.request.url).ok();
            target.is_some_and(|target| behind_the_name(&url, &target) != behind_the_name(&target, &url))
        };
        let findings = delivered.answers.iter().filter(is_elsewhere).map(|answer| {
            let [set, called] = [url.as_str(), answer.exchange.request.url.as_str()];
            Finding::new(Kind::DeliveryElsewhere).compare(set, called).in_exchange(answer.exchange.number)
        });
        Ok(Judgement::of(tasks::first_few(findings)))
    })())
}

/// What comes in the field in which agents bring the token of a configuration is that token. Nobody has to use this field.
pub(super) fn token_as_set(view: CaseView<'_>, args: &DeliveryToken) -> Judgement {
    judgement_of((|| {
        let brought = view.delivered(&args.deliveries)?.answers.iter().filter_map(|answer| {
            let token = answer.exchange.request.header(TOKEN)?;
            Some((answer, token))
        });
        let brought: Vec<(&Answer, &str)> = brought.collect();
        if brought.is_empty() {
            return Err(Judgement::Unseen(Reason::NothingOf { step: args.deliveries.to_string() }));
        }
        let findings = brought.into_iter().filter(|(_, token)| *token != args.token).map(|(answer, token)| {
            let how = how(Some(&args.token.as_str().into()), Some(&token.into())).to_owned();
            let kind = Kind::SentOtherwise { how, of: "a webhook".to_owned(), place: "/token".to_owned() };
            Finding::new(kind).compare(args.token.as_str(), token).in_exchange(answer.exchange.number)
        });
        Ok(Judgement::of(tasks::first_few(findings)))
    })())
}

/// The address of the webhook in a request that sets it.
fn address(params: &Value) -> Option<&str> {
    let config = params.pointer("/configuration/taskPushNotificationConfig").unwrap_or(params);
    config.get("url")?.as_str()
}

/// What an address has behind the segment that it shares with another one, which is the unguessable name of a webhook: segments, and members
/// of the query, decoded.
fn behind_the_name(url: &Url, other: &Url) -> (Vec<String>, Vec<(String, String)>) {
    let segments = |url: &Url| -> Vec<String> {
        let all = url.path().split('/').map(|one| percent_decode_str(one).decode_utf8_lossy().into_owned());
        all.collect()
    };
    let others = segments(other);
    let is_name = |segment: &String| segment.len() >= LEAST_OF_A_NAME && others.contains(segment);
    let behind = segments(url).into_iter().skip_while(|segment| !is_name(segment)).skip(1).collect();
    (behind, url.query_pairs().into_owned().collect())
}

/// Nothing else follows the end of the task. What comes once more is no news.
pub(super) fn order(view: CaseView<'_>, args: &Deliveries) -> Judgement {
    judgement_of((|| {
        let news = news(view.delivered(args)?);
        let mut told = news.iter().skip_while(|(_, value)| !tells_end(view, value));
        if told.next().is_none() {
            return Err(Judgement::Unseen(Reason::NoEndDelivered));
        }
        let late = told.filter(|(_, value)| !tells_end(view, value) && streams::kind(value).is_some()).map(
            |(answer, value)| {
                let received = state_in(value).unwrap_or("an artifact");
                Finding::new(Kind::DeliveryAfterEnd).compare("nothing", received).in_exchange(answer.exchange.number)
            },
        );
        Ok(Judgement::of(tasks::first_few(late)))
    })())
}

/// The end of the task, which was acknowledged, is not posted again as it was. (Chunks and states may be alike.)
pub(super) fn once(view: CaseView<'_>, args: &Deliveries) -> Judgement {
    judgement_of((|| {
        let delivered = view.delivered(args)?;
        let ends = delivered
            .answers
            .iter()
            .filter(|answer| result(answer).is_some_and(|payload| tells_end(view, &payload.reading.value)));
        let (mut seen, mut again) = (HashSet::new(), Vec::new());
        for answer in ends {
            if !seen.insert(&answer.exchange.request.body) {
                let finding = Finding::new(Kind::DeliveryRepeated).compare("each delivery once", "the same once more");
                again.push(finding.in_exchange(answer.exchange.number));
            }
        }
        match seen.is_empty() {
            true => Err(Judgement::Unseen(Reason::NoEndDelivered)),
            false => Ok(Judgement::of(tasks::first_few(again.into_iter()))),
        }
    })())
}

/// The states that are posted are some of those that the stream shows, in its order.
pub(super) fn as_streamed(view: CaseView<'_>, args: &DeliveriesAndStream) -> Judgement {
    judgement_of((|| {
        let stream = view.stream(&args.stream)?;
        streams::intact(stream)?;
        let shown: Vec<&str> = stream.events().iter().filter_map(|event| streams::state(event.value()?)).collect();
        if !shown.last().is_some_and(|state| view.profile.is_terminal(state)) {
            return Err(Judgement::Unseen(Reason::NoState));
        }
        let news = news(some(view.delivered(&args.deliveries)?)?);
        let posted: Vec<(&Answer, &str)> =
            news.into_iter().filter_map(|(answer, value)| Some((answer, streams::state(value)?))).collect();
        if posted.is_empty() {
            return Err(Judgement::Unseen(Reason::NoUpdate));
        }
        let mut place = 0;
        for (answer, state) in posted {
            // A state may be told more than once.
            let Some(found) = shown.iter().skip(place).position(|other| *other == state) else {
                let finding = Finding::new(Kind::DeliveryNotAsStreamed).compare(shown.join(", "), state);
                return Ok(Judgement::Wrong(vec![finding.in_exchange(answer.exchange.number)]));
            };
            place += found;
        }
        Ok(Judgement::Right)
    })())
}

/// A task has come to its end while its webhook did not answer. If it does as soon as the webhook has answered, it waited for that.
pub(super) fn holds_nothing_up(view: CaseView<'_>, args: &HeldUp) -> Judgement {
    judgement_of((|| {
        let state = |name| state_in(view.task(name)?).ok_or(Judgement::Unseen(Reason::NoState));
        let (before, after) = (state(&args.held)?, state(&args.released)?);
        if view.profile.is_terminal(before) {
            return Ok(Judgement::Right);
        }
        if !view.profile.is_terminal(after) {
            return Err(Judgement::Unseen(Reason::NoState));
        }
        let finding = Finding::new(Kind::WebhookHoldsUpTask).compare(after, before);
        Ok(Judgement::Wrong(vec![view.cite(finding, &args.held, "/status/state")]))
    })())
}

/// A message is answered while the webhook of its task has not answered. If it is as soon as that has, it waited for that.
pub(super) fn holds_no_answer(view: CaseView<'_>, args: &AnswerHeldUp) -> Judgement {
    judgement_of((|| {
        let (answer, is_first) = is_answered_first(view, args)?;
        if is_first {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::WebhookHoldsUpAnswer).in_exchange(answer.exchange.number);
        let received = "one as soon as that had answered";
        Ok(Judgement::Wrong(vec![finding.compare("an answer while the webhook has not answered", received)]))
    })())
}

/// The answer to a step, and whether it came before another step of one `together` had ended.
pub(super) fn is_answered_first<'a>(view: CaseView<'a>, args: &AnswerHeldUp) -> Result<(&'a Answer, bool), Judgement> {
    let answer = view.heard(&args.answer)?;
    view.step(&args.until)?;
    let place = |name: &str| view.played.iter().rposition(|played| played.name.as_deref() == Some(name));
    Ok((answer, place(&args.answer) < place(&args.until)))
}

/// Each request to set a webhook is refused; one finding for each that is not.
pub(super) fn addresses_refused(view: CaseView<'_>, args: &RefusedAddresses) -> Judgement {
    judgement_of((|| {
        let mut findings = Vec::new();
        for offer in args.all() {
            let answer = view.heard(offer)?;
            if answer.refusal().is_some() {
                continue;
            }
            let url = answer.exchange.request.params.get("url").and_then(Value::as_str).unwrap_or_default();
            let kind = Kind::WebhookTaken { what: offer.replace('-', " ") };
            let finding = Finding::new(kind).compare("a refusal", format!("a configuration for {url}"));
            findings.push(finding.in_exchange(answer.exchange.number));
        }
        Ok(Judgement::of(findings))
    })())
}

/// What was delivered, without what was delivered before.
pub(super) fn news<'a>(delivered: &'a Delivered) -> Vec<(&'a Answer, &'a Value)> {
    let mut seen = HashSet::new();
    let mut new = |answer: &'a Answer| seen.insert(&answer.exchange.request.body).then(|| result(answer)).flatten();
    let payloads = delivered.answers.iter().filter_map(|answer| Some((answer, new(answer)?)));
    payloads.map(|(answer, payload)| (answer, &*payload.reading.value)).collect()
}

/// Whether an event shows a terminal state.
fn tells_end(view: CaseView<'_>, event: &Value) -> bool {
    streams::state(event).is_some_and(|state| view.profile.is_terminal(state))
}
