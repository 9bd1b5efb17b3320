"""Turns what a provider's library raises into our errors, in words that hold no key and nothing of the conversation.

Servers like to repeat a request in their error, so only the status and a short code of an answer are passed on.
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

from recollect.core.errors import ModelError, ModelUnavailable

PASSING = {408, 409, 425, 429}
"""Statuses below 500 after which asking again may help."""

STRANGE = (AttributeError, TypeError, ValueError, LookupError, AssertionError, RecursionError)
"""What libraries stumble over when an answer is JSON of another shape."""

FAILURES = (ModelAPIError, UnexpectedModelBehavior, UserError, *STRANGE)
_CODE = re.compile(r"[\w.-]{1,60}")


def explained(error: Exception, server: str, model: str, key: str) -> ModelError:
    """The error of ours that fits; `key` is the name of the variable with the key."""
    match error:
        case ModelRequestTimeout() | ModelTimeoutError():
            return ModelUnavailable(f"{server} did not answer in time")
        case ModelConnectionError():
            return ModelUnavailable(f"{server} can't be reached, or hung up ({_cause(error)})")
        case ModelQuotaExceededError():
            return ModelUnavailable(f"{server} says that the account has no credit or quota left{_code(error)}")
        case ModelHTTPError():
            return _answered(error, server, model, key)
        case ContentFilterError():
            return refused(server)
        case UserError():
            return ModelError(f"{model} can't be used as it is set up: {error}")
        case _:
            return strange(server)


def strange(server: str) -> ModelUnavailable:
    """A page of a proxy, more often than not: it may be gone later."""
    return ModelUnavailable(f"the answer of {server} is not what its protocol says: is the base URL right?")


def refused(server: str) -> ModelError:
    return ModelError(f"{server} refused to answer this request")


def _answered(error: ModelHTTPError, server: str, model: str, key: str) -> ModelError:
    status = error.status_code
    said = f"{server} answered {status}{_code(error)}"
    if status >= 500 or status in PASSING:
        return ModelUnavailable(said)
    if status in {401, 403}:
        return ModelError(f"{said}: is {key} set to a valid key that may use {model}?")
    if status == 404:
        better = f"; did you mean {error.suggested_model_id}?" if error.suggested_model_id else ""
        return ModelError(f"{said}: is there a model {model}{better}, and is the base URL right?")
    if isinstance(error, ModelContextWindowExceededError) or status == 413:
        return ModelError(f"{said}: the request is too long for {model}")
    return ModelError(f"{said}: it does not take this request; does {model} work with it?")


def _code(error: ModelAPIError) -> str:
    """The provider's code for an error, if it looks like one."""
    for code in (error.provider_error_code, error.provider_error_type):
        if code and _CODE.fullmatch(code):
            return f" ({code})"
    return ""


def _cause(error: BaseException) -> str:
    """The name of what went wrong at the bottom."""
    while error.__cause__ is not None:
        error = error.__cause__
    return type(error).__name__
