//! Asynchronous work on the thread of whoever waits for it.

pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts").block_on(work)
}
