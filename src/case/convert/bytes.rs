//! What a `bytes` step sends.

use std::time::Duration;

use base64::Engine as _;

use super::{Converter, inner};
use crate::case::bytes::{Piece, Written};
use crate::case::file::PieceEntry;
use crate::yaml::tree::Part;

/// The longest pause, in milliseconds: cases wait for the agent, not for themselves.
const LONGEST_PAUSE: u64 = 2_000;

impl Converter<'_> {
    pub(super) fn pieces(&mut self, entries: Vec<PieceEntry>, at: &str) -> Vec<Piece> {
        let entries = entries.into_iter().enumerate();
        entries.filter_map(|(index, entry)| self.piece(entry, &inner(at, index))).collect()
    }

    fn piece(&mut self, entry: PieceEntry, at: &str) -> Option<Piece> {
        let PieceEntry { lines, text, base64, at_once, pause, wait_for, then } = entry;
        let lines = lines.map(|lines| lines.into_iter().map(|line| line + "\r\n").collect::<String>());
        let exact = base64.map(|encoded| match base64::engine::general_purpose::STANDARD.decode(&encoded) {
            Ok(bytes) => Written::Exact(bytes.into()),
            Err(error) => {
                self.wrong(&inner(at, "base64"), Part::Value, format!("`base64` is not base64: {error}"));
                Written::Exact(bytes::Bytes::new())
            }
        });
        if pause.is_some_and(|pause| pause > LONGEST_PAUSE) {
            let message = format!("a pause is at most {LONGEST_PAUSE} ms");
            self.wrong(&inner(at, "pause"), Part::Value, message);
        }
        let write = |what: Written| Piece::Write { what, at_once };
        let mut all: Vec<Piece> = [
            lines.map(|text| write(Written::Text(text))),
            text.map(|text| write(Written::Text(text))),
            exact.map(write),
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
                let message = "a piece is exactly one of `lines`, `text`, `base64`, `pause`, `wait-for`, `then`";
                self.wrong(at, Part::Value, message);
            }
            Some(Piece::Write { .. }) => {}
            Some(_) if at_once.is_some() => {
                let message = "`at-once` goes with `lines`, `text` and `base64` only";
                self.wrong(&inner(at, "at-once"), Part::Name, message);
            }
            Some(_) => {}
        }
        piece
    }
}
