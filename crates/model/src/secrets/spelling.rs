//! How a text may spell one character: plainly, or escaped as in JSON, HTML, a URL or a program.

/// Whether an escape begins with this byte. `+` is a space in a form (URL Standard, application/x-www-form-urlencoded).
pub(super) fn is_lead(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'&' | b'+')
}

/// Most backslashes before one escape: JSON within JSON doubles them each time, and this is enough for four times.
const MOST_BACKSLASHES: usize = 16;

/// Names of characters in HTML ("Named character references"). ASCII punctuation is all that a writer has to escape.
const NAMED: [(char, &str); 33] = [
    ('!', "excl"),
    ('"', "quot"),
    ('#', "num"),
    ('$', "dollar"),
    ('%', "percnt"),
    ('&', "amp"),
    ('\'', "apos"),
    ('(', "lpar"),
    (')', "rpar"),
    ('*', "ast"),
    ('+', "plus"),
    (',', "comma"),
    ('.', "period"),
    ('/', "sol"),
    (':', "colon"),
    (';', "semi"),
    ('<', "lt"),
    ('=', "equals"),
    ('>', "gt"),
    ('?', "quest"),
    ('@', "commat"),
    ('[', "lbrack"),
    ('[', "lsqb"),
    ('\\', "bsol"),
    (']', "rbrack"),
    (']', "rsqb"),
    ('^', "Hat"),
    ('_', "lowbar"),
    ('`', "grave"),
    ('{', "lcub"),
    ('|', "verbar"),
    ('}', "rcub"),
    ('~', "tilde"),
];

/// One way to read what stands at a place of a text: as this character, which ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub c: char,
    pub end: usize,
}

/// Every way to read what stands at byte `at`, which is where a character begins. The first is the plain one.
///
/// The time that it takes is bounded by the length of the escape, which is short but for leading zeros.
pub(super) fn read(text: &str, at: usize, readings: &mut Vec<Reading>) {
    readings.clear();
    let Some(rest) = text.get(at..) else { return };
    let Some(plain) = rest.chars().next() else { return };
    let mut add = |c: char, length: usize| readings.push(Reading { c, end: at + length });
    add(plain, plain.len_utf8());
    let rest = rest.as_bytes();
    match plain {
        '\\' => backslashed(rest, &mut add),
        '%' => percent_encoded(rest, &mut add),
        '&' => entity(rest, &mut add),
        '+' => add(' ', 1),
        _ => {}
    }
}

/// `\"`, `\/`, `\n`, `\u0041` and in pairs beyond U+FFFF (RFC 8259 section 7); `\u{41}`, which is how this program itself
/// shows what a terminal must not get; `\x41`, which is how C, Python, Rust and others show bytes or characters. More backslashes
/// are JSON within JSON.
fn backslashed(rest: &[u8], add: &mut impl FnMut(char, usize)) {
    let run = backslashes(rest);
    let doubled = std::iter::successors(Some(2_usize), |length| length.checked_mul(2));
    doubled.take_while(|length| *length <= run).for_each(|length| add('\\', length));
    match rest.get(run) {
        Some(b'b') => add('\u{8}', run + 1),
        Some(b'f') => add('\u{c}', run + 1),
        Some(b'n') => add('\n', run + 1),
        Some(b'r') => add('\r', run + 1),
        Some(b't') => add('\t', run + 1),
        Some(b'u') => in_hexadecimal(rest, run, add),
        Some(b'x') => in_bytes(rest, run, add),
        Some(letter) if letter.is_ascii_punctuation() => add(char::from(*letter), run + 1),
        _ => {}
    }
}

fn in_hexadecimal(rest: &[u8], run: usize, add: &mut impl FnMut(char, usize)) {
    if let Some(braced) = rest.get(run + 1..).and_then(|rest| rest.strip_prefix(b"{")) {
        let (number, digits) = number(braced, 16);
        if let Some(c) = char::from_u32(number).filter(|_| digits > 0 && braced.get(digits) == Some(&b'}')) {
            add(c, run + digits + 3);
        }
        return;
    }
    let Some((high, length)) = unit(rest) else { return };
    if let Some(c) = char::from_u32(u32::from(high)) {
        return add(c, length);
    }
    let Some((low, more)) = rest.get(length..).and_then(unit) else { return };
    if let Some(Ok(c)) = char::decode_utf16([high, low]).next() {
        add(c, length + more);
    }
}

/// A code unit of UTF-16 with which a text begins, and the length of its escape.
fn unit(text: &[u8]) -> Option<(u16, usize)> {
    let run = backslashes(text);
    let digits = text.get(run..)?.strip_prefix(b"u")?.get(..4).filter(|_| run > 0)?;
    Some((u16::try_from(hexadecimal(digits)?).ok()?, run + 5))
}

fn backslashes(text: &[u8]) -> usize {
    text.iter().take(MOST_BACKSLASHES).take_while(|byte| **byte == b'\\').count()
}

/// A character of which each byte is percent-encoded (RFC 3986 section 2.1).
fn percent_encoded(rest: &[u8], add: &mut impl FnMut(char, usize)) {
    of_utf8(rest.chunks_exact(3).map(|escape| escape.strip_prefix(b"%")), 3, add);
}

/// A character of which each byte is escaped as `\x41`, or which is escaped by its number if that is below 256.
fn in_bytes(rest: &[u8], run: usize, add: &mut impl FnMut(char, usize)) {
    let length = run + 3;
    let digits = |escape: &'_ [u8]| -> Option<[u8; 2]> {
        let (slashes, digits) = escape.split_at_checked(run)?;
        let digits = digits.strip_prefix(b"x").filter(|_| slashes.iter().all(|byte| *byte == b'\\'))?;
        digits.try_into().ok()
    };
    let escapes: Vec<Option<[u8; 2]>> = rest.chunks_exact(length).take(4).map(digits).collect();
    if let Some(number) = escapes.first().and_then(|first| hexadecimal(first.as_ref()?)).filter(|number| *number > 0x7f)
    {
        char::from_u32(number).into_iter().for_each(|c| add(c, length));
    }
    of_utf8(escapes.iter().map(|escape| escape.as_ref().map(<[u8; 2]>::as_slice)), length, add);
}

/// A character whose bytes of UTF-8 have these digits and take so much of the text each.
fn of_utf8<'a>(escapes: impl Iterator<Item = Option<&'a [u8]>>, length: usize, add: &mut impl FnMut(char, usize)) {
    let mut bytes = [0; 4];
    for (index, escape) in escapes.take(4).enumerate() {
        let Some(byte) = escape.and_then(hexadecimal) else { return };
        bytes[index] = u8::try_from(byte).unwrap_or_default();
        let read = bytes.get(..=index).and_then(|bytes| std::str::from_utf8(bytes).ok());
        if let Some(c) = read.and_then(|read| read.chars().next()) {
            return add(c, length * (index + 1));
        }
    }
}

/// `&#65;`, `&#x41;`, `&quot;`. Readers of HTML do without the semicolon.
fn entity(rest: &[u8], add: &mut impl FnMut(char, usize)) {
    let mut add = |c: char, length: usize| {
        add(c, length);
        if rest.get(length) == Some(&b';') {
            add(c, length + 1);
        }
    };
    let (radix, digits) = match rest {
        [_, b'#', b'x' | b'X', ..] => (16, 3),
        [_, b'#', ..] => (10, 2),
        [_, after @ ..] => {
            // A few are known in capitals as well, as `&AMP;`.
            let begins = |name: &str| {
                let found = after.get(..name.len());
                found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
            };
            NAMED.iter().filter(|(_, name)| begins(name)).for_each(|(c, name)| add(*c, 1 + name.len()));
            return;
        }
        [] => return,
    };
    let (number, count) = number(rest.get(digits..).unwrap_or_default(), radix);
    if let Some(c) = char::from_u32(number).filter(|_| count > 0) {
        add(c, digits + count);
    }
}

/// The number with which a text begins, and how many digits it has, leading zeros included.
fn number(text: &[u8], radix: u32) -> (u32, usize) {
    let digits = text.iter().map_while(|byte| char::from(*byte).to_digit(radix));
    digits.fold((0, 0), |(number, count), digit| (number.saturating_mul(radix).saturating_add(digit), count + 1))
}

/// A number of which every character is a digit.
fn hexadecimal(text: &[u8]) -> Option<u32> {
    let (number, digits) = number(text, 16);
    (digits == text.len()).then_some(number)
}
