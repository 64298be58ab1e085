"""The account's webhook endpoints: their records, and each operation as a call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlencode

from ._retry import Answer, Call, Request
from ._types import read_json, read_time

T = TypeVar("T")
EventType = Literal["plant.created", "plant.changed", "plant.removed"]
DeliveryMode = Literal["each", "notice"]
DeliveryStatus = Literal["succeeded", "failed", "waiting"]

_TIME = re.compile(r"_at$|_since$|^at$")


@dataclass(frozen=True, slots=True)
class WebhookSecret:
    hint: str
    created_at: datetime
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """An address to which events are sent."""

    id: str
    url: str
    events: Sequence[str]
    description: str
    delivery: DeliveryMode
    #: The version of the interface that gives its payloads their shape.
    version: str
    #: "paused": it failed, and one request at a time checks whether it works again; no event is lost in the meantime.
    status: Literal["enabled", "paused", "disabled"]
    #: The age of the oldest event that was not attempted yet.
    lag_seconds: float
    #: The cursor in the feed up to which every event was attempted.
    position: str
    secrets: Sequence[WebhookSecret]
    created_at: datetime
    updated_at: datetime
    reason: Literal["failing", "gone", "by_hand"] | None = None
    failing_since: datetime | None = None
    #: When a paused endpoint is tried next.
    next_at: datetime | None = None
    #: Given by `create` and `roll_secret` alone, this once.
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class WebhookDelivery:
    """One attempt to deliver one event."""

    id: str
    event: str
    type: str
    attempt: int
    status: DeliveryStatus
    ms: float
    at: datetime
    http_status: int | None = None
    error: str | None = None
    next_at: datetime | None = None
    response_excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    deliveries: list[WebhookDelivery]
    #: None after the last page.
    next_cursor: str | None


def endpoints() -> Call[list[WebhookEndpoint]]:
    return _call("GET", [], lambda value: [_endpoint(each) for each in value["data"]])


def create(members: Mapping[str, Any]) -> Call[WebhookEndpoint]:
    return _call("POST", [], _endpoint, members)


def get(endpoint: str) -> Call[WebhookEndpoint]:
    return _call("GET", [endpoint], _endpoint)


def change(endpoint: str, members: Mapping[str, Any]) -> Call[WebhookEndpoint]:
    return _call("PATCH", [endpoint], _endpoint, members)


def remove(endpoint: str) -> Call[None]:
    def read(answer: Answer) -> None:
        if answer.body:
            raise ValueError("The answer to a removal is empty")

    return Call(Request("DELETE", _path([endpoint])), repeatable=False, read=read)


def roll_secret(endpoint: str, overlap: str | None) -> Call[WebhookEndpoint]:
    return _call("POST", [endpoint, "secret"], _endpoint, {"overlap": overlap})


def test(endpoint: str, event_type: EventType | None) -> Call[WebhookDelivery]:
    return _call("POST", [endpoint, "test"], _delivery, {"type": event_type})


def replay(endpoint: str, members: Mapping[str, Any]) -> Call[str]:
    return _call("POST", [endpoint, "replay"], lambda value: str(value["replay"]), members)


def deliveries(endpoint: str, query: Mapping[str, Any]) -> Call[DeliveryPage]:
    def read(value: Mapping[str, Any]) -> DeliveryPage:
        return DeliveryPage([_delivery(each) for each in value["data"]], value["next_cursor"])

    given = urlencode(_given(query))
    return _call("GET", [endpoint, "deliveries"], read, query=f"?{given}" if given else "")


def as_list(items: Iterable[str] | None) -> list[str] | None:
    return None if items is None else list(items)


def _call(
    method: str,
    segments: Sequence[str],
    read: Callable[[dict[str, Any]], T],
    members: Mapping[str, Any] | None = None,
    *,
    query: str = "",
) -> Call[T]:
    headers = {} if members is None else {"Content-Type": "application/json"}
    body = None if members is None else json.dumps(_given(members), separators=(",", ":")).encode()
    request = Request(method, _path(segments) + query, headers, body)
    return Call(request, repeatable=method == "GET", read=lambda answer: read(read_json(answer.body)))


def _given(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _path(segments: Sequence[str]) -> str:
    return "/".join(["/webhooks", *(quote(each, safe="") for each in segments)])


def _endpoint(value: Mapping[str, Any]) -> WebhookEndpoint:
    secrets = [WebhookSecret(**_members(WebhookSecret, each)) for each in value["secrets"]]
    return WebhookEndpoint(**{**_members(WebhookEndpoint, value), "secrets": secrets})


def _delivery(value: Mapping[str, Any]) -> WebhookDelivery:
    return WebhookDelivery(**_members(WebhookDelivery, value))


def _members(record: Any, value: Mapping[str, Any]) -> dict[str, Any]:
    """The members that the record has, with their times read. Those that are newer than this client are ignored."""
    known = {each.name for each in fields(record)}
    return {name: read_time(each) if _TIME.search(name) else each for name, each in value.items() if name in known}
