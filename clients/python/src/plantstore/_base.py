"""What the two clients share: their options, their requests, and the errors of their connections."""

from __future__ import annotations

import os
import re
import socket
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import TypeVar

import httpx

from ._errors import PlantstoreError, PlantstoreUnreachable
from ._imports import ImportProgress, RemovalProgress, batch_records_max, records_per_second
from ._retry import Limits, OnExchange, Request, address, no_plantstore
from ._types import Plant, read_json, read_plant
from ._version import VERSION

T = TypeVar("T")
Progress = Callable[[ImportProgress], object]
RemovalTold = Callable[[RemovalProgress], object]

_HEADER = re.compile(r"[\x21-\x7e]+(?: [\x21-\x7e]+)*")
#: The plants that one page may name by their ids.
PAGE_IDS_MAX = 100
#: A page has 8 MiB of text at most, which JSON writes with up to six times as many characters.
_ANSWER_LENGTH_MAX = 64 * 1024 * 1024
EVENTS_WAIT_S = 30
#: A batch has many records, and may take long on a slow connection.
_BATCH_TRY_S = 120.0
_BATCH_S = 600.0


class Base:
    def __init__(
        self,
        url: str | None,
        token: str | None,
        *,
        application: str | None,
        timeout: float,
        try_timeout: float,
        retries_max: int | None,
        headers: Mapping[str, str] | None,
        on_exchange: OnExchange | None,
    ) -> None:
        url = _from_environment("url") if url is None else url
        token = _from_environment("token") if token is None else token
        parts = re.fullmatch(r"https?://([^/\\\s]+)(?:/\S*)?", url)
        if not parts:
            raise ValueError("The url must be an http or https address, as in https://plants.example.com")
        # An HTTP library would send the password instead of the token.
        if "@" in parts[1] or "?" in url or "#" in url:
            raise ValueError("The url must hold no user, password, query or fragment")
        # The error of an HTTP library would repeat the token.
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            if re.search(r"\s", token):
                hint = "one that was read from a file often ends in one"
                raise ValueError(f"The token must have no blank and no line break: {hint}")
            raise ValueError("The token must be visible ASCII characters, as in plant_…")
        if application is not None and not _HEADER.fullmatch(application):
            raise ValueError('The application must be a name and a version in ASCII, as in "nursery/2.1"')
        self.url = url.rstrip("/")
        agent = f"plantstore-python/{VERSION}"
        self._headers = {
            "Authorization": f"Bearer {token}",
            "User-Agent": agent if application is None else f"{application} {agent}",
        }
        self._more_headers = {} if headers is None else headers
        self._on_exchange = on_exchange
        self._limits = Limits(timeout, try_timeout, retries_max)
        #: What the token may write in bulk in a second, by the last answer; None before the first one.
        self._records_per_second: float | None = None
        self._batch_limits = Limits(max(timeout, _BATCH_S), max(try_timeout, _BATCH_TRY_S), retries_max)

    def _prepared(self, http: httpx.Client | httpx.AsyncClient, request: Request, limits: Limits) -> httpx.Request:
        headers = httpx.Headers(self._more_headers)
        for own in (request.headers, self._headers):
            headers.update(own)
        return http.build_request(
            request.method,
            address(self.url, request),
            headers=headers,
            content=request.body,
            timeout=limits.try_timeout,
        )

    def _batch_records_max(self) -> int:
        return batch_records_max(self._records_per_second, self._batch_limits.try_timeout)

    def _learn_rate(self, response: httpx.Response) -> None:
        # An answer of something before the service tells nothing.
        unlimited = inf if response.is_success else self._records_per_second
        told = records_per_second(response.headers)
        self._records_per_second = unlimited if told is None else told

    @contextmanager
    def _reached(self) -> Generator[None, None, None]:
        try:
            yield
        except httpx.ConnectError as error:
            cause = _first_cause(error)
            wrong = isinstance(cause, ssl.SSLCertVerificationError) or (
                isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME
            )
            message = f"Cannot reach {self.url}: {error}"
            raise PlantstoreUnreachable("address" if wrong else "network", message, sent=False) from error
        except (httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise PlantstoreUnreachable("timeout", f"{self.url} could not be connected to in time", sent=False) from error
        except httpx.TimeoutException as error:
            raise PlantstoreUnreachable("timeout", f"{self.url} did not answer in time") from error
        except httpx.TransportError as error:
            raise PlantstoreUnreachable("network", f"Cannot reach {self.url}: {error}") from error
        except httpx.DecodingError as error:
            raise no_plantstore(self.url, "something else") from error


def _first_cause(error: BaseException) -> BaseException:
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _from_environment(option: str) -> str:
    name = f"PLANTSTORE_{option.upper()}"
    if not (value := os.environ.get(name)):
        raise ValueError(f"There is no {option}: pass one, or set {name}")
    return value


def require_length(length: int, url: str) -> None:
    """Raises for an answer, or a line of one, that is longer than any of the service."""
    if length > _ANSWER_LENGTH_MAX:
        raise no_plantstore(url, "more than 64 MiB")


def is_removed(error: PlantstoreError, missing_ok: bool) -> bool:
    """An earlier try whose answer was lost has removed it, or somebody else has; either way it is removed."""
    return error.code == "plant-unknown" and (missing_ok or error.in_doubt)


class Lines:
    """The plants of an export, which arrives in parts."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._rest = b""

    def feed(self, part: bytes) -> Iterator[Plant]:
        *lines, self._rest = (self._rest + part).split(b"\n")
        require_length(len(self._rest), self._url)
        return (read_plant(read_json(line)) for line in lines)


async def each_async(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
