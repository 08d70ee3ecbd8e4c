//! The parts of a task's artifacts.

use serde_json::Value;

use super::args::{PartsWith, Task};
use super::judgement_of;
use crate::finding::{Finding, Kind, show, show_found};
use crate::reason::Reason;
use crate::wire::base64::check as check_base64;
use crate::wire::http::MediaType;
use crate::{CaseView, Judgement, items};

/// Parts of an artifact that have one of the members have no other content, and what is raw is base64.
pub(super) fn parts_with(view: CaseView<'_>, args: &PartsWith) -> Judgement {
    const CONTENT: [&str; 4] = ["text", "raw", "url", "data"];
    judgement_of((|| {
        let name: &str = &args.task;
        let task = view.task(name)?;
        let wanted: Vec<&str> = args.members.iter().map(|member| member.name()).collect();
        let of_kind = artifact_parts(task, &wanted)?;
        let cite = |finding: Finding, place: &str| view.cite(finding, name, place);
        let mut findings = Vec::new();
        for (place, part) in of_kind {
            let contents: Vec<&str> = CONTENT.into_iter().filter(|name| part.get(*name).is_some()).collect();
            if contents.len() != 1 {
                let finding = Finding::new(Kind::PartWithManyContents);
                findings.push(cite(finding.compare("one of text, raw, url, data", show(part)), &place));
            }
            if let Some(error) =
                part.get("raw").map(|raw| check_base64(raw.as_str().unwrap_or("\0"))).and_then(Result::err)
            {
                let finding = Finding::new(Kind::PartNotBase64);
                findings.push(cite(finding.compare("base64 (RFC 4648)", error.to_string()), &place));
            }
        }
        Ok(Judgement::of(findings))
    })())
}

/// The parts of a task's artifacts that have one of these members, with their places; at least one.
fn artifact_parts<'a>(task: &'a Value, wanted: &[&str]) -> Result<Vec<(String, &'a Value)>, Judgement> {
    let artifacts = items(task, "artifacts").iter().enumerate();
    let parts = artifacts.flat_map(|(index, artifact)| {
        let place = move |part: usize| format!("/artifacts/{index}/parts/{part}");
        items(artifact, "parts").iter().enumerate().map(move |(part, value)| (place(part), value))
    });
    let of_kind: Vec<(String, &Value)> =
        parts.filter(|(_, part)| wanted.iter().any(|name| part.get(*name).is_some())).collect();
    match of_kind.is_empty() {
        true => Err(Judgement::Unseen(Reason::NoPartWith { members: wanted.join(" or ") })),
        false => Ok(of_kind),
    }
}

/// Files in a task's artifacts have a media type (0.2.1 sections 6.6.1 and 6.6.2 recommend it).
pub(super) fn file_media_types(view: CaseView<'_>, args: &Task) -> Judgement {
    every_file(view, args, &["raw", "url"], "mediaType", "a media type, such as text/plain", |text| {
        MediaType::parse(text).is_some()
    })
}

/// URLs of files in a task's artifacts are absolute (0.2.1 section 6.6.2).
pub(super) fn file_urls(view: CaseView<'_>, args: &Task) -> Judgement {
    every_file(view, args, &["url"], "url", "a URL with its scheme", |text| url::Url::parse(text).is_ok())
}

/// Asks of every part with one of these members whether the text of `asked` is right.
fn every_file(
    view: CaseView<'_>,
    args: &Task,
    members: &[&str],
    asked: &str,
    expected: &str,
    is_right: impl Fn(&str) -> bool,
) -> Judgement {
    judgement_of((|| {
        let name: &str = args;
        let task = view.task(name)?;
        let wrong = artifact_parts(task, members)?
            .into_iter()
            .filter(|(_, part)| !part.get(asked).and_then(Value::as_str).is_some_and(&is_right));
        let findings = wrong.map(|(place, part)| {
            let actual = show_found(part.get(asked));
            let finding = Finding::new(Kind::FileMember { member: asked.to_owned(), condition: expected.to_owned() });
            view.cite(finding.compare(expected, actual), name, &format!("{place}/{asked}"))
        });
        Ok(Judgement::of(findings.collect()))
    })())
}
