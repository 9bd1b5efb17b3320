"""Converts a provider library's exceptions to ours, in messages without keys and without the conversation.

Servers often repeat a request in their error, so only the status and a short code are passed on.
"""

import re

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)

from recollect.core.errors import ModelError, ModelRefused, ModelTimeout, ModelUnavailable

RETRYABLE_STATUSES = {408, 409, 425, 429}
"""Statuses below 500 after which a retry may help."""

MALFORMED_ANSWER_ERRORS = (AttributeError, TypeError, ValueError, LookupError, AssertionError, RecursionError)
"""What libraries raise when an answer is JSON of an unexpected shape."""

FAILURES = (ModelAPIError, UnexpectedModelBehavior, UserError, *MALFORMED_ANSWER_ERRORS)
_CODE = re.compile(r"[\w.-]{1,60}")


def to_model_error(error: Exception, server: str, model: str, key_name: str) -> ModelError:
    """The error of ours that fits; `key_name` names the variable with the key."""
    match error:
        case ModelRequestTimeout() | ModelTimeoutError():
            return ModelTimeout(f"{server} did not answer in time", plain="it did not answer in time")
        case ModelConnectionError():
            return ModelUnavailable(f"{server} can't be reached, or hung up ({_root_cause(error)})")
        case ModelQuotaExceededError():
            text = f"{server} says that the account has no credit or quota left{_render_code(error)}"
            return ModelUnavailable(text, plain="the account has no credit or quota left")
        case ModelHTTPError():
            return _from_status(error, server, model, key_name)
        case ContentFilterError():
            return request_refused(server)
        case UserError():
            text = f"{model} can't be used as it is set up: {error}"
            return ModelError(text, plain="it is not set up rightly: recollect setup helps")
        case _:
            return malformed_answer(server)


def malformed_answer(server: str) -> ModelUnavailable:
    """Unavailable, not an error: it is usually an error page of a proxy, which may go away."""
    text = f"the answer of {server} is not what its protocol says: is the base URL right?"
    return ModelUnavailable(text, plain="its answer can't be read; is the address right?")


def request_refused(server: str) -> ModelRefused:
    """The provider's content filter refused the request."""
    return ModelRefused(f"{server} refused to answer this request", plain="it refused to answer this")


def _from_status(error: ModelHTTPError, server: str, model: str, key_name: str) -> ModelError:
    status = error.status_code
    answer = f"{server} answered {status}{_render_code(error)}"
    if status >= 500 or status in RETRYABLE_STATUSES:
        busy = status in {429, 529}
        return ModelUnavailable(answer, plain="it gets too many requests" if busy else "it has trouble of its own")
    if status in {401, 403}:
        text = f"{answer}: is {key_name} set to a valid key that may use {model}?"
        return ModelError(text, plain="its key was refused: recollect setup sets another")
    if status == 404:
        suggestion = f"; did you mean {error.suggested_model_id}?" if error.suggested_model_id else ""
        text = f"{answer}: is there a model {model}{suggestion}, and is the base URL right?"
        return ModelError(text, plain=f"there is no model {model}: /model or recollect setup choose another")
    if isinstance(error, ModelContextWindowExceededError) or status == 413:
        return ModelRefused(f"{answer}: the request is too long for {model}", plain="this is too long for it")
    text = f"{answer}: it does not take this request; does {model} work with it?"
    return ModelRefused(text, plain="it does not take this request")


def _render_code(error: ModelAPIError) -> str:
    """The provider's error code in parentheses, if it looks like one."""
    for code in (error.provider_error_code, error.provider_error_type):
        if code and _CODE.fullmatch(code):
            return f" ({code})"
    return ""


def _root_cause(error: BaseException) -> str:
    """The class name of the innermost cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    return type(error).__name__
