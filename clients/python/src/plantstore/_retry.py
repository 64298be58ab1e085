"""When a call is tried again, without any input or output: the two clients send what these generators yield."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar, Union

from ._errors import PlantstoreError, PlantstoreUnreachable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    #: Empty while a stream is open.
    body: bytes


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    request: Request
    #: True if a repetition has the same effect as a single request, whatever others do in between.
    repeatable: bool
    read: Callable[[Answer], T]
    #: The number of tries after the first one, unless the caller gives another.
    retries_max: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One try of a call: the request, and the raw answer."""

    method: str
    url: str
    #: 1 for the first try of the call.
    attempt: int
    #: The seconds until the answer was read; of a stream, until it began.
    duration: float
    #: The status and headers of the answer, if there was one: `request-id`, for example, and `ratelimit`.
    status: int | None
    headers: Mapping[str, str] | None
    #: The answer as it was sent; None for a stream, and for one without a body.
    body: bytes | None
    #: The error of a try that failed, which may be tried again.
    error: PlantstoreError | PlantstoreUnreachable | None


OnExchange = Callable[[Exchange], object]


@dataclass(frozen=True, slots=True)
class Limits:
    timeout: float
    try_timeout: float
    #: None for that of the call, or 4.
    retries_max: int | None


#: A request to send, or seconds to wait.
Step = Union[Request, float]
Flow = Generator[Step, Any, T]

_RETRIES_MAX = 4
_BASE_S = 0.2
_DELAY_S_MAX = 10.0
#: Refusals before which the service did nothing.
_PASSING = {"rate-limited", "unavailable"}
#: Statuses by which a proxy reports a temporary failure.
_GATEWAY = {429, 502, 503, 504}


def address(url: str, request: Request) -> str:
    return f"{url}/v1{request.path}"


def persist(call: Call[T], url: str, limits: Limits, on_exchange: OnExchange | None) -> Flow[T]:
    """Sends a call, and sends it again where that can help and does no harm."""
    ends_at = time.monotonic() + limits.timeout
    retries_max = next(each for each in (limits.retries_max, call.retries_max, _RETRIES_MAX) if each is not None)
    in_doubt = False
    attempt = tries_sent = 0
    while True:
        attempt += 1
        began = time.monotonic()
        answer: Answer | None = None
        failure: PlantstoreError | PlantstoreUnreachable | None = None
        try:
            received: Answer = yield call.request
            answer = received
            refuse_unless_success(received, url)
            return _read(call, received, url)
        except (PlantstoreError, PlantstoreUnreachable) as error:
            failure = error
            # Full jitter over an exponential bound, on top of the wait that the service asks for.
            delay = (error.retry_after or 0.0) + random.random() * min(_DELAY_S_MAX, _BASE_S * 2 ** (attempt - 1))
            in_time = time.monotonic() + delay < ends_at
            # While nothing can be sent, as while the service restarts, the time alone is the limit.
            tries_sent += not _was_not_sent(error)
            left = 0 < retries_max >= tries_sent
            if not left or not in_time or not _may_retry(error, call.repeatable):
                if isinstance(error, PlantstoreError):
                    error.in_doubt = in_doubt
                raise
            in_doubt = in_doubt or _leaves_doubt(error)
        finally:
            if on_exchange and (answer or failure):
                on_exchange(_exchange(call.request, url, attempt, time.monotonic() - began, answer, failure))
        yield delay


def _exchange(
    request: Request,
    url: str,
    attempt: int,
    duration: float,
    answer: Answer | None,
    error: PlantstoreError | PlantstoreUnreachable | None,
) -> Exchange:
    status, headers, body = (answer.status, answer.headers, answer.body or None) if answer else (None, None, None)
    return Exchange(request.method, address(url, request), attempt, duration, status, headers, body, error)


def refuse_unless_success(answer: Answer, url: str) -> None:
    status = answer.status
    if 200 <= status < 300 or status == 304:
        return
    if status < 400:
        raise PlantstoreUnreachable("answer", f"{url} leads elsewhere; use the address that it leads to")
    retry_after = _retry_after(answer.headers)
    try:
        members = json.loads(answer.body)
        error, message = members["error"], members["message"]
    except (ValueError, KeyError, TypeError):
        if status in _GATEWAY:
            message = f"{url} has no answer of the service just now, but status {status}"
            raise PlantstoreUnreachable("gateway", message, retry_after) from None
        raise no_plantstore(url, f"status {status}") from None
    request_id = answer.headers.get("request-id")
    raise PlantstoreError(message, error=error, status=status, request_id=request_id, retry_after=retry_after)


def _read(call: Call[T], answer: Answer, url: str) -> T:
    try:
        return call.read(answer)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise no_plantstore(url, "something else") from error


def no_plantstore(url: str, answered: str) -> PlantstoreUnreachable:
    return PlantstoreUnreachable("answer", f"{url} answers with {answered}, as no Plantstore does; is it the address?")


def _may_retry(error: PlantstoreError | PlantstoreUnreachable, repeatable: bool) -> bool:
    if isinstance(error, PlantstoreError):
        return error.code in _PASSING
    return _was_not_sent(error) or (_leaves_doubt(error) and repeatable)


def _leaves_doubt(error: PlantstoreError | PlantstoreUnreachable) -> bool:
    return isinstance(error, PlantstoreUnreachable) and error.sent


def _was_not_sent(error: PlantstoreError | PlantstoreUnreachable) -> bool:
    """True if nothing was sent, for a reason that passes: the service restarts, or a name server is away."""
    return isinstance(error, PlantstoreUnreachable) and not error.sent and error.reason in ("network", "timeout")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, given as such or as a date (RFC 9110, 10.2.3), from the service's own clock if it tells it."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value).timestamp()
        date = headers.get("date")
        return max(0.0, at - (parsedate_to_datetime(date).timestamp() if date else time.time()))
    except (TypeError, ValueError):
        return None
