//! Where the browser comes back with a code: a port of the loopback interface (RFC 8252, section 7.3).

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::Url;

use super::OAuthError;

const PATH: &str = "/callback";
/// The longest head of a request, in bytes: browsers bring cookies of others along.
const LONGEST_HEAD: usize = 32 << 10;
/// How long a connection may say nothing: browsers open some in advance.
const SILENCE: Duration = Duration::from_secs(10);

/// A listener for one answer.
pub(super) struct Redirect {
    listener: TcpListener,
    url: Url,
}

impl Redirect {
    pub async fn listen() -> Result<Self, OAuthError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.map_err(|error| OAuthError::NoRedirect(error.to_string()))?;
        let address = listener.local_addr().map_err(|error| OAuthError::NoRedirect(error.to_string()))?;
        let url = Url::parse(&format!("http://{address}{PATH}"));
        Ok(Self { listener, url: url.map_err(|error| OAuthError::NoRedirect(error.to_string()))? })
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The code of the answer that has this state: others are nobody's that was asked (RFC 6749, section 10.12).
    pub async fn code(&mut self, state: &str) -> Result<String, OAuthError> {
        let (tell, mut heard) = mpsc::channel(1);
        let mut talks = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => {
                    let (stream, _) = accepted.map_err(|error| OAuthError::NoRedirect(error.to_string()))?;
                    let (base, state, tell) = (self.url.clone(), state.to_owned(), tell.clone());
                    talks.spawn(async move {
                        if let Ok(Some(answer)) = tokio::time::timeout(SILENCE, talk(stream, &base, &state)).await {
                            // The first one counts.
                            let _ = tell.try_send(answer);
                        }
                    });
                }
                Some(answer) = heard.recv() => return answer.map_err(OAuthError::Refused),
            }
        }
    }
}

/// Answers a request, and gives what it brings.
async fn talk(mut stream: TcpStream, base: &Url, state: &str) -> Option<Result<String, String>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < LONGEST_HEAD {
        if stream.read_buf(&mut head).await.ok()? == 0 {
            break;
        }
    }
    let answer = answer(&head, base, state);
    let (status, text) = match &answer {
        Some(Ok(_)) => ("200 OK", "Done. This page may be closed."),
        Some(Err(_)) => ("200 OK", "Refused. This page may be closed."),
        None => ("404 Not Found", "Nothing is here."),
    };
    let length = text.len();
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    );
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
    answer
}

/// The code, or why there is none; nothing of a request that has not this state.
fn answer(head: &[u8], base: &Url, state: &str) -> Option<Result<String, String>> {
    let line = String::from_utf8_lossy(head).lines().next()?.to_owned();
    let target = line.strip_prefix("GET ")?.split(' ').next()?.to_owned();
    let url = base.join(&target).ok().filter(|url| url.path() == PATH)?;
    let get = |name: &str| url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned());
    if get("state")? != state {
        return None;
    }
    let refusal = || match (get("error"), get("error_description")) {
        (Some(error), Some(description)) => format!("{error} ({description})"),
        (Some(error), None) => error,
        (None, _) => "the browser brings no code".to_owned(),
    };
    Some(get("code").ok_or_else(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_that_was_asked_for_counts() {
        let base = Url::parse("http://127.0.0.1:1/callback").unwrap();
        let answer = |head: &str| answer(head.as_bytes(), &base, "s");
        assert_eq!(answer("GET /callback?code=a%2Fb&state=s HTTP/1.1\r\n\r\n"), Some(Ok("a/b".to_owned())));
        let refused = "GET /callback?error=access_denied&state=s HTTP/1.1\r\n\r\n";
        assert_eq!(answer(refused), Some(Err("access_denied".to_owned())));
        for foreign in
            ["GET /callback?code=a&state=t HTTP/1.1", "GET /callback?code=a HTTP/1.1", "GET /?code=a&state=s", ""]
        {
            assert_eq!(answer(foreign), None, "{foreign}");
        }
    }
}
