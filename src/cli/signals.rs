//! The signals that end the program early: Ctrl-C everywhere; SIGTERM and SIGHUP on Unix, which is what a job that is
//! cancelled and a terminal that is closed send; Ctrl-Break on Windows.

use std::io;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::fail::Failure;
use super::{Exit, machine};

/// Some send a signal twice: a terminal that is closed and the shell in it, a terminal and `npm run` in it. What comes so soon
/// after the first is the same wish and not a second one.
const ECHO: Duration = Duration::from_millis(100);

/// Listens from now on. The first signal turns the value true, upon which the program is to end in order. The second ends
/// it at once.
///
/// # Errors
/// The system's, when it does not let us listen.
pub(super) fn listen() -> io::Result<watch::Receiver<bool>> {
    // They have a thread of their own: they must be heard also while nobody takes what the program writes.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut signals = {
        let _entered = runtime.enter();
        Signals::new()?
    };
    let (stopper, stop) = watch::channel(false);
    let hear = async move {
        signals.next().await;
        let first = Instant::now();
        stopper.send_replace(true);
        loop {
            signals.next().await;
            if first.elapsed() > ECHO {
                std::process::exit(i32::from(Exit::Interrupted as u8));
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(hear))?;
    Ok(stop)
}

/// The same, where a run begins, which cannot go on without it, nor without what every run takes of the machine.
///
/// # Errors
/// What the machine lacks, or a fault of the suite.
pub(super) fn heard() -> Result<watch::Receiver<bool>, Failure> {
    machine::check()?;
    listen().map_err(|error| Failure::broken(format!("signals cannot be waited for: {error}")))
}

/// Waits for the first signal.
pub(super) async fn stopped(stop: &watch::Receiver<bool>) {
    if stop.clone().wait_for(|stopped| *stopped).await.is_err() {
        // Nobody is left to say so.
        std::future::pending::<()>().await;
    }
}

/// What restarts the reference agent: SIGUSR1 on Unix, and nothing elsewhere.
pub(super) struct Restarts {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl Restarts {
    /// Listens from now on.
    ///
    /// # Errors
    /// The system's, when it does not let us listen.
    pub fn new() -> Result<Self, Failure> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};

            let failed = |error| Failure::broken(format!("signals cannot be waited for: {error}"));
            Ok(Self { signal: signal(SignalKind::user_defined1()).map_err(failed)? })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        if self.signal.recv().await.is_some() {
            return;
        }
        std::future::pending().await
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// Nothing where the program was started to outlive its terminal.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if is_hangup_ignored() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Whether the program was started with `nohup`, or by what else ignores SIGHUP. Only Linux tells.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // One bit for each signal, from the lowest; SIGHUP is the first.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(windows)]
struct Signals {
    ctrl_c: tokio::signal::windows::CtrlC,
    ctrl_break: tokio::signal::windows::CtrlBreak,
}

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c};

        Ok(Self { ctrl_c: ctrl_c()?, ctrl_break: ctrl_break()? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.ctrl_c.recv() => {}
            _ = self.ctrl_break.recv() => {}
        }
    }
}
