//! What a report keeps of the exchanges that findings cite: enough to show each finding, and no more than there is room
//! for, whatever an agent sends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::body::{LONGEST_SHOWN, floor};
use super::evidence::Pointed;
use super::exchange::{decoded, describe};
use super::model::ExchangeInfo;
use crate::diagnostic::words::shorten;
use crate::finding::{ExcerptInfo, Finding};
use crate::secrets::Secrets;
use crate::transcript::Exchange;
use crate::verdict::TrialResult;

/// The most findings of one result that a report holds.
pub(super) const MOST_FINDINGS: usize = 12;
/// The most characters of each text of a finding.
const LONGEST_TEXT: usize = 400;
/// The bytes that all findings together may take before each result has one short one.
const ROOM_FOR_FINDINGS: usize = 512 << 10;
/// The most characters of each text of a finding then.
const SHORT_TEXT: usize = 100;
/// The bytes that all exchanges together may take before bodies are shown shorter.
const ROOM: usize = 768 << 10;
/// The most bytes of a body that is shown then.
const SHORT: usize = 256;
/// The bytes that all exchanges together may take.
const MOST_ROOM: usize = 1 << 20;
/// The bytes that the exchanges of steps may take, beside those that findings cite.
const ROOM_FOR_STEPS: usize = 1 << 20;
/// The most bytes of a body of a step that no finding cites.
const BODY_OF_STEP: usize = 2 << 10;
/// The most characters of what was sent and received in a step.
const LONGEST_STEP: usize = 200;
/// The bytes before and after the place of a finding that an excerpt shows.
const AROUND: usize = 200;

/// The exchanges that findings cite.
#[derive(Debug, Default)]
pub(super) struct CitedExchanges {
    kept: BTreeMap<u64, ExchangeInfo>,
    left_out: BTreeSet<u64>,
    size: usize,
    /// The bytes that findings take.
    findings: usize,
    /// The bytes that steps take.
    steps: usize,
}

impl CitedExchanges {
    /// Takes what the findings of a result cite. The result comes out masked, and as short as reports show it.
    pub(crate) fn take(&mut self, mut result: TrialResult, cited: &[Arc<Exchange>], secrets: &Secrets) -> TrialResult {
        let is_short = self.findings >= ROOM_FOR_FINDINGS;
        let most = if is_short { 1 } else { MOST_FINDINGS };
        result.findings_left_out += result.findings.len().saturating_sub(most);
        result.findings.truncate(most);
        if let Some(reason) = &mut result.reason {
            for text in reason.texts_mut() {
                *text = shown(text, LONGEST_TEXT, secrets);
            }
        }
        // A long body is masked once for all findings in it.
        let mut whole: Option<(u64, String)> = None;
        for finding in &mut result.findings {
            for exchange in [finding.exchange, finding.against].into_iter().flatten() {
                if let Some(exchange) = cited.iter().find(|known| known.number == exchange) {
                    self.keep(exchange, secrets);
                }
            }
            let exchange = finding.exchange.and_then(|id| cited.iter().find(|exchange| exchange.number == id));
            finding.operation = exchange.and_then(|exchange| exchange.request.operation).map(|it| it.to_string());
            // Masking a long body takes time, which is lost where the report has no room for a piece of it.
            if let Some(exchange) = exchange.filter(|_| !is_short)
                && self.shows_too_little(exchange.number)
                && let Some(response) = &exchange.response
            {
                if whole.as_ref().is_none_or(|(known, _)| *known != exchange.number) {
                    let text = match decoded(response) {
                        Some(text) => secrets.mask(text),
                        None => secrets.mask(&String::from_utf8_lossy(&response.body)),
                    };
                    whole = Some((exchange.number, text));
                }
                finding.excerpt = whole
                    .as_ref()
                    .and_then(|(_, text)| Pointed::find(finding, decoded(response).is_some(), text))
                    .map(excerpt);
            }
            self.findings += shorten_texts(finding, if is_short { SHORT_TEXT } else { LONGEST_TEXT }, secrets);
        }
        self.take_steps(&mut result, cited, secrets);
        result
    }

    /// Takes the conversation of a result, as far as there is room for it.
    fn take_steps(&mut self, result: &mut TrialResult, cited: &[Arc<Exchange>], secrets: &Secrets) {
        for step in &mut result.steps {
            for text in [&mut step.sent, &mut step.received] {
                *text = shown(text, LONGEST_STEP, secrets);
            }
        }
        if self.steps >= ROOM_FOR_STEPS {
            result.steps_left_out += result.steps.len();
            result.steps.clear();
        }
        for step in &result.steps {
            self.steps += step.sent.len() + step.received.len();
            let is_kept = self.kept.contains_key(&step.exchange) || self.left_out.contains(&step.exchange);
            let Some(exchange) = cited.iter().find(|known| known.number == step.exchange).filter(|_| !is_kept) else {
                continue;
            };
            let info = describe(exchange, BODY_OF_STEP, secrets);
            self.steps += info.size();
            self.kept.insert(exchange.number, info);
        }
    }

    /// One of them.
    pub(crate) fn get(&self, number: u64) -> Option<&ExchangeInfo> {
        self.kept.get(&number)
    }

    /// The exchanges, in their order, and how many there was no room for.
    pub(crate) fn into_parts(self) -> (Vec<ExchangeInfo>, usize) {
        (self.kept.into_values().collect(), self.left_out.len())
    }

    fn keep(&mut self, exchange: &Exchange, secrets: &Secrets) {
        if self.kept.contains_key(&exchange.number) || self.left_out.contains(&exchange.number) {
            return;
        }
        let longest = if self.size < ROOM { LONGEST_SHOWN } else { SHORT };
        let info = describe(exchange, longest, secrets);
        let size = info.size();
        if self.size + size > MOST_ROOM {
            self.left_out.insert(exchange.number);
            return;
        }
        self.size += size;
        self.kept.insert(exchange.number, info);
    }

    /// Whether an exchange is not kept, or not with the whole body of its response.
    fn shows_too_little(&self, number: u64) -> bool {
        let response = self.kept.get(&number).map(|exchange| exchange.response.as_ref());
        response.is_none_or(|response| response.is_some_and(|response| response.body.cut().is_some()))
    }
}

/// Masks and shortens the names of what was violated: of those below an oracle's own the agent chose a part. Until then they
/// tell which requirements are violated.
pub(super) fn mask_names(result: &mut TrialResult, secrets: &Secrets) {
    let of_findings = result.findings.iter_mut().map(|finding| &mut finding.assertion);
    for name in result.violated.iter_mut().chain(of_findings) {
        *name = shown(name, LONGEST_TEXT, secrets);
    }
}

fn shown(text: &str, longest: usize, secrets: &Secrets) -> String {
    shorten(&secrets.mask(text), longest)
}

/// Masks and shortens the texts of a finding, and gives about how many bytes it takes in a report.
fn shorten_texts(finding: &mut Finding, longest: usize, secrets: &Secrets) -> usize {
    const FRAME: usize = 200;
    let mut size = FRAME + finding.excerpt.as_ref().map_or(0, |excerpt| excerpt.text.len());
    let texts = [&mut finding.pointer, &mut finding.expected, &mut finding.received].into_iter().flatten();
    for text in finding.kind.texts_mut().into_iter().chain(texts) {
        *text = shown(text, longest, secrets);
        size += text.len();
    }
    size
}

/// The text around the place of a finding.
fn excerpt(pointed: Pointed) -> ExcerptInfo {
    let Pointed { origin, text, span, label } = pointed;
    let from = floor(&text, span.start.saturating_sub(AROUND));
    // Of a long value its beginning.
    let end = floor(&text, span.end.min(span.start + AROUND)).max(span.start);
    let to = floor(&text, end + AROUND);
    let piece = text.get(from..to).unwrap_or_default().to_owned();
    ExcerptInfo { of: origin, text: piece, from: span.start - from, to: end - from, label }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Kind;
    use crate::report::sample;

    fn result(findings: Vec<Finding>) -> TrialResult {
        TrialResult { findings, ..sample::stream().results[0].clone() }
    }

    fn take(body: &str, findings: Vec<Finding>) -> (TrialResult, Vec<ExchangeInfo>) {
        let mut cited = CitedExchanges::default();
        let exchange = Arc::new(sample::exchange(7, "test", "{}", Some(body)));
        let secrets = Secrets::new(vec!["hunter22".to_owned()]);
        let result = cited.take(result(findings), &[exchange], &secrets);
        (result, cited.into_parts().0)
    }

    #[test]
    fn a_place_in_a_body_that_is_too_long_is_shown_by_what_is_around_it() {
        let body = format!(r#"{{"a":"{}hunter22","b":{{"c":17}},"d":"{}"}}"#, "x".repeat(9_000), "y".repeat(9_000));
        let (result, exchanges) =
            take(&body, vec![Finding::new(Kind::StreamsDiffer).at(7, "/b/c").compare("18", "17")]);
        assert_eq!(exchanges[0].response.as_ref().unwrap().body.cut().unwrap().bytes, body.len());
        let excerpt = result.findings[0].excerpt.as_ref().unwrap();
        assert_eq!(excerpt.text.get(excerpt.from..excerpt.to), Some("17"));
        assert!(excerpt.text.len() < 1_000 && excerpt.text.contains("x***\",\"b\""), "{}", excerpt.text);
    }

    #[test]
    fn an_event_of_a_long_stream_is_shown_by_its_beginning() {
        let events: String = (0..2_000).map(|index| format!("data: {{\"n\":{index}}}\n\n")).collect();
        let (result, _) = take(&events, vec![Finding::new(Kind::StreamsDiffer).in_exchange(7).in_event(1_234)]);
        let excerpt = result.findings[0].excerpt.as_ref().unwrap();
        assert_eq!((excerpt.of.as_str(), excerpt.text.as_str()), ("event 1235 of 2000 in the stream", r#"{"n":1234}"#));
    }

    #[test]
    fn a_short_body_needs_no_excerpt() {
        let (result, _) = take(r#"{"b":{"c":17}}"#, vec![Finding::new(Kind::StreamsDiffer).at(7, "/b/c")]);
        assert_eq!(result.findings[0].excerpt, None);
    }

    #[test]
    fn findings_are_few_and_short() {
        let long = "long ".repeat(1_000);
        let (result, _) = take(
            "{}",
            vec![Finding::new(Kind::ErrorInStream { error: long.clone() }).at(7, &long).compare(&long, &long); 20],
        );
        assert_eq!((result.findings.len(), result.findings_left_out), (MOST_FINDINGS, 20 - MOST_FINDINGS));
        let finding = &result.findings[0];
        for text in
            [Some(&finding.headline()), finding.pointer.as_ref(), finding.received.as_ref()].into_iter().flatten()
        {
            assert!(text.chars().count() <= LONGEST_TEXT);
        }
    }

    #[test]
    fn exchanges_stay_within_their_room() {
        let mut cited = CitedExchanges::default();
        let body = "x".repeat(LONGEST_SHOWN);
        for number in 0..1_000 {
            let exchange = Arc::new(sample::exchange(number, "test", &body, Some(&body)));
            let finding = Finding::new(Kind::StreamsDiffer).in_exchange(number);
            let result = cited.take(result(vec![finding; 3]), &[exchange], &Secrets::default());
            assert_eq!(result.findings.len() + result.findings_left_out, 3);
        }
        assert!(cited.findings < ROOM_FOR_FINDINGS * 2);
        let (kept, left_out) = cited.into_parts();
        assert!(kept.iter().map(ExchangeInfo::size).sum::<usize>() <= MOST_ROOM);
        assert_eq!(kept.len() + left_out, 1_000);
        assert!(left_out > 0);
    }
}
