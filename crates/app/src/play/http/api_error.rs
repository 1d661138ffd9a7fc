//! Errors as JSON: `{"error": {"code": "illegal", "message": "..."}}`.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    Json,
    extract::{FromRequest, Request, rejection::JsonRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::timeout;
use tracing::error;
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, Response as Described, ResponseBuilder},
};

use crate::play::{
    game::{error::GameError, journal::JournalError, setup::SetupError, state::ActionError},
    review::analysis::ReviewError,
};

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ApiError {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into() }
    }

    pub(crate) fn bad(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn too_many(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message)
    }

    /// Everybody asks for too much together; this one may ask again.
    pub(crate) fn busy(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }

    /// Something ended between two messages; asking again brings it back.
    pub(crate) fn gone(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "gone", message)
    }

    /// The disk did not do its part.
    pub(crate) fn storage(is_full: bool, message: impl Into<String>) -> ApiError {
        let status =
            if is_full { StatusCode::INSUFFICIENT_STORAGE } else { StatusCode::INTERNAL_SERVER_ERROR };
        ApiError::new(status, "storage", message)
    }

    /// What a list or a file could not take.
    pub(crate) fn not_written(error: &std::io::Error) -> ApiError {
        error!("{error}");
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                ApiError::storage(true, "not saved: the disk is full")
            }
            _ => ApiError::storage(false, "not saved: the file cannot be read or written"),
        }
    }

    /// `{"error": ...}`, for sockets as well.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({ "error": self })
    }
}

/// Whatever is not what was asked for.
#[derive(Debug, ToSchema)]
#[schema(as = Error)]
#[expect(dead_code, reason = "the description alone reads it; `json` writes it")]
pub(crate) struct ErrorBody {
    error: ApiError,
}

/// What any address may answer, besides the refusals that it names.
impl IntoResponses for ApiError {
    fn responses() -> BTreeMap<String, RefOr<Described>> {
        BTreeMap::from([refusal("default", "What is malformed, too large, too fast or from a foreign page")])
    }
}

/// Why a question about a position may be refused.
#[derive(Debug)]
pub(crate) struct QuestionRefused;

impl IntoResponses for QuestionRefused {
    fn responses() -> BTreeMap<String, RefOr<Described>> {
        BTreeMap::from([
            refusal("422", "Not a position"),
            refusal("429", "Too many questions of yours at once"),
            refusal("503", "Too many questions of everybody's"),
        ])
    }
}

fn refusal(status: &str, description: &str) -> (String, RefOr<Described>) {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error"))).build();
    let response = ResponseBuilder::new().description(description).content("application/json", content);
    (status.to_owned(), response.build().into())
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.json())).into_response()
    }
}

impl From<GameError> for ApiError {
    fn from(error: GameError) -> ApiError {
        let message = error.to_string();
        match error {
            GameError::UnknownMind(_) => ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "setup", message),
            GameError::UnknownGame(_) => ApiError::not_found(message),
            GameError::TooMany(_) => ApiError::too_many(message),
            GameError::Full => ApiError::busy(message),
            GameError::Gone => ApiError::gone(message),
            GameError::Action(error) => error.into(),
            GameError::Setup(error) => error.into(),
            GameError::Journal(error) => error.into(),
        }
    }
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> ApiError {
        ApiError::bad(error.to_string())
    }
}

impl From<SetupError> for ApiError {
    fn from(error: SetupError) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "setup", error.to_string())
    }
}

impl From<ActionError> for ApiError {
    fn from(error: ActionError) -> ApiError {
        let code = match &error {
            ActionError::Over => "over",
            ActionError::NotYourTurn => "not_your_turn",
            ActionError::Stale { .. } => "stale",
            ActionError::Illegal(_) => "illegal",
            ActionError::NothingToTakeBack
            | ActionError::NoTakebacks
            | ActionError::TooLateToAbort
            | ActionError::OfferedAlready => "refused",
            ActionError::NoOpponent(_) => "no_opponent",
        };
        ApiError::new(StatusCode::CONFLICT, code, error.to_string())
    }
}

impl From<JournalError> for ApiError {
    /// What is wrong with a file is for the one who runs the server, not for whoever asks.
    fn from(error: JournalError) -> ApiError {
        error!("{error}");
        ApiError::storage(error.is_disk_full(), error.for_player())
    }
}

/// Bodies are a few kilobytes; whoever takes longer holds a connection for its own sake.
const LONGEST_BODY: Duration = Duration::from_secs(20);

/// A JSON body whose faults are told in JSON.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, ApiError> {
        match timeout(LONGEST_BODY, Json::<T>::from_request(request, state)).await {
            Ok(Ok(Json(value))) => Ok(Body(value)),
            Ok(Err(rejection)) => Err(fault(&rejection)),
            Err(_) => {
                let message = format!("the body did not come within {} s", LONGEST_BODY.as_secs());
                Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "slow", message))
            }
        }
    }
}

fn fault(rejection: &JsonRejection) -> ApiError {
    let code = match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "not_json",
        _ => "bad_request",
    };
    ApiError::new(rejection.status(), code, rejection.body_text())
}
