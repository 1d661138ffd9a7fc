//! Work that waits for the disk or takes a processor, away from the threads that answer requests.

use super::api_error::ApiError;

pub(super) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(ApiError::gone("this broke off; ask again")))
}
