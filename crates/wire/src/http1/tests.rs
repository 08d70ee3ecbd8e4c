use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// What the bytes say, pieces of bodies put together, and how they ended.
fn read(asked: &[&str], chunks: &[&[u8]]) -> (Vec<Item>, Result<Ending, (Http1ErrorKind, u64)>) {
    let mut decoder = Decoder::new(Limits::default());
    for method in asked {
        decoder.answers(method);
    }
    let mut items: Vec<Item> = Vec::new();
    let mut add = |found: Vec<Item>| {
        for item in found {
            match (items.last_mut(), item) {
                (Some(Item::Data(known)), Item::Data(more)) => known.extend(more),
                (_, item) => items.push(item),
            }
        }
    };
    let mut failure = None;
    for chunk in chunks {
        match decoder.push(chunk) {
            Ok(found) => add(found),
            Err(error) => {
                add(error.items);
                failure = Some((error.kind, error.offset));
                break;
            }
        }
    }
    (items, failure.map_or_else(|| Ok(decoder.finish()), Err))
}

/// The statuses and bodies of the answers, and how the bytes ended.
fn answers(asked: &[&str], text: &str) -> (Vec<(u16, String)>, Result<Ending, Http1ErrorKind>) {
    let (items, ending) = read(asked, &[text.as_bytes()]);
    let mut answers: Vec<(u16, String)> = Vec::new();
    for item in items {
        match item {
            Item::Head(head) => answers.push((head.status, String::new())),
            Item::Data(data) => answers.last_mut().unwrap().1.push_str(str::from_utf8(&data).unwrap()),
            Item::Interim(_) | Item::End { .. } => {}
        }
    }
    (answers, ending.map_err(|(kind, _)| kind))
}

fn one(text: &str) -> (u16, String) {
    let (answers, ending) = answers(&[], text);
    assert!(matches!(ending, Ok(Ending::Between | Ending::WithBody)), "{text:?}: {ending:?}");
    let [answer] = answers.as_slice() else { panic!("{text:?}: {answers:?}") };
    answer.clone()
}

#[test]
fn bodies_end_where_their_framing_says() {
    for (text, status, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", 200, "ab"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\nContent-Length: 2\r\n\r\nab", 200, "ab"),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, ""),
        ("HTTP/1.0 200 OK\r\n\r\nabc", 200, "abc"),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, ""),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1;a=b\r\na\r\n0B \r\nbbbbbbbbbbb\r\n0\r\n\r\n",
            200,
            "abbbbbbbbbbb",
        ),
        // Chunked wins over a length (6.3, rule 3); another last coding lasts until the end.
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", 200, "ab"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n2\r\n", 200, "2\r\n"),
        // Lines that end with LF, and a folded field.
        ("HTTP/1.1 200 OK\nX: a\n b\nContent-Length:\n 2\n\nab", 200, "ab"),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\nanything", 101, "anything"),
    ] {
        assert_eq!(one(text), (status, body.to_owned()), "{text:?}");
    }
}

#[test]
fn what_was_asked_decides_whether_there_is_a_body() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
    let (found, ending) = answers(&["HEAD", "GET", "CONNECT"], &format!("{head}{head}abc{head}tunnel"));
    let wanted = [(200, String::new()), (200, "abc".to_owned()), (200, "tunnel".to_owned())];
    assert_eq!((found.as_slice(), ending), (&wanted[..], Ok(Ending::WithBody)));
}

#[test]
fn fields_trailers_and_places_are_kept() {
    let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Fine\r\nA:  b \r\nTransfer-Encoding: chunked\r\na: c\r\n\r\n0\r\nT: 1\r\n\r\n";
    let (items, ending) = read(&[], &[text.as_bytes()]);
    let [Item::Interim(interim), Item::Head(head), Item::End { trailers, at }] = items.as_slice() else {
        panic!("{items:?}")
    };
    let (last, begins) = (text.len() as u64, text.find("HTTP/1.1 200").unwrap() as u64);
    assert_eq!((interim.status, head.minor, head.reason.as_str(), head.at), (100, 1, "Fine", begins));
    assert_eq!(head.values("A").collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(head.fields[2].at, text.find("a: c").unwrap() as u64);
    assert_eq!((trailers[0].value.as_str(), trailers[0].at), ("1", text.find("T: 1").unwrap() as u64));
    assert_eq!((*at, ending), (last, Ok(Ending::Between)));
}

#[test]
fn says_where_an_answer_is_none() {
    for (text, kind, offset) in [
        ("SSH-2.0-x\r\n", Http1ErrorKind::StatusLine, 0),
        ("HTTP/2 200\r\n", Http1ErrorKind::StatusLine, 0),
        ("HTTP/1.1 20 OK\r\n", Http1ErrorKind::StatusLine, 0),
        ("HTTP/1.1 2000\r\n", Http1ErrorKind::StatusLine, 0),
        ("HTTP/1.1 200 OK\r\nno field\r\n", Http1ErrorKind::Field, 17),
        ("HTTP/1.1 200 OK\r\na : b\r\n", Http1ErrorKind::Field, 17),
        ("HTTP/1.1 200 OK\r\n a\r\n", Http1ErrorKind::Field, 17),
        ("HTTP/1.1 200 OK\r\n: b\r\n", Http1ErrorKind::Field, 17),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", Http1ErrorKind::Length, 37),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", Http1ErrorKind::Length, 39),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", Http1ErrorKind::ChunkSize, 47),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n", Http1ErrorKind::ChunkSize, 47),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", Http1ErrorKind::ChunkEnd, 51),
        ("HTTP/1.1 204 No\r\n\r\nmore\r\n", Http1ErrorKind::StatusLine, 19),
    ] {
        let (_, ending) = read(&[], &[text.as_bytes()]);
        assert_eq!(ending, Err((kind, offset)), "{text:?}");
    }
}

#[test]
fn says_in_what_an_answer_was_cut() {
    for (text, ending) in [
        ("", Ending::Between),
        ("HTTP/1.1 2", Ending::InHead),
        ("HTTP/1.1 200 OK\r\nA: b\r\n", Ending::InHead),
        ("HTTP/1.1 100 Continue\r\n\r\n", Ending::InHead),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", Ending::InBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", Ending::InBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", Ending::InBody),
        ("HTTP/1.1 200 OK\r\n\r\n", Ending::WithBody),
    ] {
        assert_eq!(read(&[], &[text.as_bytes()]).1, Ok(ending), "{text:?}");
    }
}

#[test]
fn nothing_is_held_without_bound() {
    let limits = Limits { head: 100, fields: 3, interim: 2 };
    let fails = |text: &str| Decoder::new(limits).push(text.as_bytes()).map_err(|error| error.kind);
    let start = "HTTP/1.1 200 OK\r\n";
    assert_eq!(fails(&format!("{start}A: {}", "b".repeat(100))), Err(Http1ErrorKind::LongHead));
    assert_eq!(fails(&format!("{start}{}", "A: b\r\n".repeat(4))), Err(Http1ErrorKind::LongHead));
    let chunked = format!("{start}Transfer-Encoding: chunked\r\n\r\n");
    assert_eq!(fails(&format!("{chunked}1;{}", "a".repeat(100))), Err(Http1ErrorKind::LongHead));
    assert_eq!(fails(&format!("{chunked}0\r\n{}", "A: b\r\n".repeat(4))), Err(Http1ErrorKind::LongHead));
    assert_eq!(fails(&"HTTP/1.1 102 P\r\n\r\n".repeat(3)), Err(Http1ErrorKind::Interim));
    // The sizes of many chunks are no long head.
    assert!(fails(&format!("{chunked}{}0\r\n\r\n", "1\r\na\r\n".repeat(100))).is_ok());
}

/// Bytes that look like answers often enough to get past the first one.
fn answer_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.0 204 \n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "Content-Length: 2\r\n",
            "X: y\r\n",
            " folded\r\n",
            "\r\n",
            "\n",
            "\r",
            "1\r\na\r\n",
            "2;x\r\nab\r\n",
            "0\r\n",
            "0\r\n\r\n",
            "ab",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// However bytes are cut, they say the same.
    #[test]
    fn cutting_changes_nothing(
        bytes in answer_like(),
        cuts in vec(any::<prop::sample::Index>(), 0..12),
        head in any::<bool>(),
    ) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let chunks: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let asked = if head { &["HEAD"][..] } else { &[] };
        let whole = read(asked, &[&bytes]);
        prop_assert_eq!(&read(asked, &chunks), &whole);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&read(asked, &single), &whole);
    }

    /// What was written is what is read.
    #[test]
    fn bodies_come_out_whole(body in vec(any::<u8>(), 0..300), sizes in vec(1_usize..40, 1..8)) {
        let mut chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let mut rest = body.as_slice();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(rest.len().min(*size));
            chunked.extend(format!("{:X}\r\n", piece.len()).bytes().chain(piece.iter().copied()).chain(*b"\r\n"));
            rest = after;
        }
        chunked.extend(b"0\r\n\r\n");
        let mut sized = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
        sized.extend(&body);
        for text in [chunked, sized] {
            let (items, ending) = read(&[], &[&text]);
            let data: Vec<u8> = items
                .into_iter()
                .flat_map(|item| match item {
                    Item::Data(data) => data,
                    _ => Vec::new(),
                })
                .collect();
            prop_assert_eq!((data, ending), (body.clone(), Ok(Ending::Between)));
        }
    }
}
