//! The end that a user puts to a run.

use tokio::sync::watch;

/// Waits until the run is stopped.
pub(crate) async fn stopped(stop: &watch::Receiver<bool>) {
    if stop.clone().wait_for(|stopped| *stopped).await.is_err() {
        // Nobody is left to say so.
        std::future::pending::<()>().await;
    }
}

/// Awaits a future, or gives it up when the run is stopped.
pub(crate) async fn until_stopped<T>(future: impl Future<Output = T>, stop: &watch::Receiver<bool>) -> Option<T> {
    let mut stop = stop.clone();
    tokio::select! {
        done = future => Some(done),
        Ok(_) = stop.wait_for(|stopped| *stopped) => None,
    }
}
