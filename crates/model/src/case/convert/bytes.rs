//! What a `bytes` step sends.

use std::time::Duration;

use bytes::Bytes;

use super::{Converter, inner};
use crate::case::bytes::{FramePayload, Piece, Written, WrittenFrame};
use crate::case::file::{FrameEntry, PieceEntry};
use crate::yaml::tree::Part;

/// The longest pause, in milliseconds: cases wait for the agent, not for themselves.
const LONGEST_PAUSE: u64 = 2_000;

impl Converter<'_> {
    pub(super) fn pieces(&mut self, entries: Vec<PieceEntry>, at: &str) -> Vec<Piece> {
        let entries = entries.into_iter().enumerate();
        entries.filter_map(|(index, entry)| self.piece(entry, &inner(at, index))).collect()
    }

    fn piece(&mut self, entry: PieceEntry, at: &str) -> Option<Piece> {
        let PieceEntry { lines, text, base64, frame, at_once, pause, wait_for, then } = entry;
        let lines = lines.map(|lines| lines.into_iter().map(|line| line + "\r\n").collect::<String>());
        let exact = base64.map(|encoded| Written::Exact(self.decoded(at, "base64", &encoded)));
        let frame = frame.map(|frame| self.frame(frame, &inner(at, "frame")));
        if pause.is_some_and(|pause| pause > LONGEST_PAUSE) {
            let message = format!("a pause is at most {LONGEST_PAUSE} ms");
            self.wrong(&inner(at, "pause"), Part::Value, message);
        }
        let write = |what: Written| Piece::Write { what, at_once };
        let mut all: Vec<Piece> = [
            lines.map(|text| write(Written::Text(text))),
            text.map(|text| write(Written::Text(text))),
            exact.map(write),
            frame.map(|frame| write(Written::Frame(Box::new(frame)))),
            pause.map(|pause| Piece::Pause(Duration::from_millis(pause.min(LONGEST_PAUSE)))),
            wait_for.map(Piece::WaitFor),
            then.map(Piece::Then),
        ]
        .into_iter()
        .flatten()
        .collect();
        let piece = all.pop().filter(|_| all.is_empty());
        match &piece {
            None => {
                let message =
                    "a piece is exactly one of `lines`, `text`, `base64`, `frame`, `pause`, `wait-for`, `then`";
                self.wrong(at, Part::Value, message);
            }
            Some(Piece::Write { .. }) => {}
            Some(_) if at_once.is_some() => {
                let message = "`at-once` goes with `lines`, `text`, `base64` and `frame` only";
                self.wrong(&inner(at, "at-once"), Part::Name, message);
            }
            Some(_) => {}
        }
        piece
    }

    fn frame(&mut self, entry: FrameEntry, at: &str) -> WrittenFrame {
        let FrameEntry { kind, flags, stream, length, padding, resets, text, base64, fields } = entry;
        let exact = base64.map(|encoded| FramePayload::Exact(self.decoded(at, "base64", &encoded)));
        let mut payloads =
            [text.map(FramePayload::Text), exact, fields.map(FramePayload::Fields)].into_iter().flatten();
        let payload = payloads.next().unwrap_or_else(|| FramePayload::Exact(Bytes::new()));
        if payloads.next().is_some() {
            let message = "a frame holds one of `text`, `base64`, `fields`, or nothing";
            self.wrong(at, Part::Value, message);
        }
        WrittenFrame { kind, flags, stream, length, padding, resets, payload }
    }
}
