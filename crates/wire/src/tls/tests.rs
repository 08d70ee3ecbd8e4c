use rustls::server::{Acceptor, ClientHello};

use super::*;

/// Reads a ClientHello as a server does.
fn read<T>(bytes: &[u8], look: impl FnOnce(ClientHello<'_>) -> T) -> T {
    let mut acceptor = Acceptor::default();
    acceptor.read_tls(&mut &*bytes).unwrap();
    look(acceptor.accept().map_err(|(error, _)| error).unwrap().unwrap().client_hello())
}

/// A ServerHello in a record.
fn hello(version: u16, suite: u16, session: &[u8]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    body.extend([7; 32]);
    body.push(u8::try_from(session.len()).unwrap());
    body.extend(session);
    body.extend(suite.to_be_bytes());
    body.push(0);
    let message = [&[SERVER_HELLO, 0], with_length(&body).as_slice()].concat();
    [&[HANDSHAKE, 3, 3], with_length(&message).as_slice()].concat()
}

#[test]
fn a_server_reads_what_is_offered() {
    read(&client_hello(Offer::WeakCiphers, Some("agent.example")), |hello| {
        assert_eq!(hello.server_name(), Some("agent.example"));
        let suites: Vec<u16> = hello.cipher_suites().iter().map(|suite| u16::from(*suite)).collect();
        assert_eq!(suites, WEAK.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        assert!(hello.alpn().unwrap().eq([b"h2".as_slice(), b"http/1.1"]));
    });
    let old = client_hello(Offer::OldVersions, None);
    assert_eq!(&old[9..11], [3, 2], "TLS 1.1 is the newest that it offers");
    assert_eq!(usize::from(number(&old, 3).unwrap()) + 5, old.len());
}

#[test]
fn an_answer_is_read_as_soon_as_it_says_enough() {
    let answer = hello(0x0302, 0x0035, &[1; 32]);
    let wanted = ServerReply::Hello { version: 0x0302, suite: 0x0035 };
    assert_eq!(server_reply(&answer), Some(wanted));
    for cut in 0..answer.len() - 1 {
        assert_eq!(server_reply(&answer[..cut]), None, "{cut}");
    }
    let warned = [&[ALERT, 3, 1, 0, 2, WARNING, 112], answer.as_slice()].concat();
    assert_eq!(server_reply(&warned), Some(wanted));
    for (bytes, read) in [
        (&[ALERT, 3, 1, 0, 2, 2, 70][..], ServerReply::Alert(70)),
        (&[ALERT, 3, 3, 0, 2, WARNING, CLOSE_NOTIFY], ServerReply::Alert(CLOSE_NOTIFY)),
        (b"HTTP/1.1 400 Bad Request", ServerReply::Other),
        (&[HANDSHAKE, 3, 3, 0, 4, 11, 0, 0, 0], ServerReply::Other),
        (&[ALERT, 9], ServerReply::Other),
        (&[HANDSHAKE; LONGEST + 1], ServerReply::Other),
    ] {
        assert_eq!(server_reply(bytes), Some(read), "{bytes:?}");
    }
    // One whose session is longer than its record.
    let mut lying = hello(0x0303, 0x0005, &[]);
    lying[43] = 255;
    lying.extend([0; 300]);
    assert_eq!(server_reply(&lying), Some(ServerReply::Other));
}

#[test]
fn only_what_was_offered_is_taken_up() {
    let said = |version, suite| ServerReply::Hello { version, suite };
    for (offer, answer, is_taken_up, shown) in [
        (Offer::OldVersions, said(0x0302, 0x0035), true, "TLS 1.1 with TLS_RSA_WITH_AES_256_CBC_SHA"),
        (Offer::OldVersions, said(0x0300, 0x0004), true, "SSL 3.0 with TLS_RSA_WITH_RC4_128_MD5"),
        (Offer::OldVersions, said(0x0303, 0x1301), false, "TLS 1.2 with the cipher suite 0x1301"),
        (Offer::WeakCiphers, said(0x0303, 0x0005), true, "TLS 1.2 with TLS_RSA_WITH_RC4_128_SHA"),
        (Offer::WeakCiphers, said(0x0303, 0xc02f), false, "TLS 1.2 with the cipher suite 0xc02f"),
        (Offer::OldVersions, ServerReply::Alert(70), false, "the alert protocol_version"),
        (Offer::OldVersions, ServerReply::Alert(99), false, "the alert 99"),
        (Offer::WeakCiphers, ServerReply::Other, false, "something else than TLS"),
    ] {
        assert_eq!((offer.is_taken_up_by(&answer), answer.to_string().as_str()), (is_taken_up, shown), "{offer:?}");
    }
}
