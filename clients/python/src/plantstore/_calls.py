"""Each operation as a call: its request, whether it may be repeated, and how its answer is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal
from urllib.parse import quote, urlencode

from ._imports import Format
from ._retry import Answer, Call, Request
from ._types import (
    CreatedPlant,
    Event,
    EventPage,
    NewPlant,
    Plant,
    PlantPage,
    PlantUpdate,
    PutPlant,
    SentTestEvent,
    Token,
    TokenStore,
    exact_id,
    members_json,
    plant_json,
    plant_members,
    read_event,
    read_json,
    read_plant,
    read_texts,
    read_time,
)

Order = Literal["id", "-created_at"]
EventOrder = Literal["timestamp", "-timestamp"]
_JSON = {"Content-Type": "application/json"}
_EVENT_TYPES = {"plant.created", "plant.changed", "plant.removed"}


def create(plant: NewPlant) -> Call[CreatedPlant]:
    def read(answer: Answer) -> CreatedPlant:
        value = read_json(answer.body)
        return CreatedPlant(**read_texts(value), replayed=answer.headers.get("idempotent-replayed") == "true")

    return Call(Request("POST", "/plants", _JSON, _encoded(plant_json(plant))), repeatable=True, read=read)


def get(plant_id: int) -> Call[Plant]:
    return Call(Request("GET", _plant_path(plant_id)), repeatable=True, read=_read_stored)


def page(
    tag: str | None,
    q: str | None,
    order: Order | None,
    limit: int | None,
    cursor: str | None,
    ids: Iterable[int] | None = None,
) -> Call[PlantPage]:
    def read(answer: Answer) -> PlantPage:
        value = read_json(answer.body)
        next_cursor = value["next_cursor"]
        if next_cursor is not None and not isinstance(next_cursor, str):
            raise ValueError("The answer holds no page of plants")
        return PlantPage([read_plant(each) for each in value["data"]], next_cursor)

    of_ids = None if ids is None else ",".join(str(exact_id(each)) for each in ids)
    query = {"tag": tag, "q": q, "order": order, "limit": limit, "cursor": cursor, "ids": of_ids}
    return Call(Request("GET", _with_query("/plants", query)), repeatable=True, read=read)


def change(update: PlantUpdate, if_match: str | None) -> Call[Plant | None]:
    body = members_json(plant_members(update))
    headers = {"Content-Type": "application/merge-patch+json", **_condition(if_match)}

    def read(answer: Answer) -> Plant | None:
        return _read_stored(answer) if answer.body else None

    request = Request("PATCH", _plant_path(update.id), headers, _encoded(body))
    return Call(request, repeatable=if_match is not None, read=read)


def put(plant: NewPlant, if_match: str | None, if_none_match: Literal["*"] | None) -> Call[PutPlant]:
    def read(answer: Answer) -> PutPlant:
        stored = _read_stored(answer) if answer.body else None
        replayed = answer.headers.get("idempotent-replayed") == "true"
        return PutPlant(stored, answer.headers["etag"], answer.status == 201, replayed)

    only_new = {} if if_none_match is None else {"If-None-Match": if_none_match}
    conditions = {**_condition(if_match), **only_new}
    body = _encoded(members_json(plant_members(plant)))
    return Call(Request("PUT", _plant_path(plant.id), {**_JSON, **conditions}, body), repeatable=True, read=read)


def token() -> Call[Token]:
    def read(answer: Answer) -> Token:
        value = read_json(answer.body)
        expires_at = value["expires_at"]
        store = value["store"]
        return Token(
            value["id"],
            value["name"],
            tuple(value["scopes"]),
            None if expires_at is None else read_time(expires_at),
            TokenStore(store["id"], store["name"], store["test"]),
        )

    return Call(Request("GET", "/token"), repeatable=True, read=read)


def remove(plant_id: int, if_match: str | None) -> Call[None]:
    def read(answer: Answer) -> None:
        if answer.body:
            raise ValueError("The answer to a removal is empty")

    request = Request("DELETE", _plant_path(plant_id), _condition(if_match))
    return Call(request, repeatable=if_match is not None, read=read)


def event_page(
    cursor: str | None,
    types: Iterable[str],
    limit: int | None,
    wait: int | None,
    plant: int | None = None,
    order: EventOrder | None = None,
) -> Call[EventPage]:
    def read(answer: Answer) -> EventPage:
        value = read_json(answer.body)
        # Types that are newer than this client are ignored.
        events = [read_event(each) for each in value["data"] if each["type"] in _EVENT_TYPES]
        next_cursor = value["next_cursor"]
        return EventPage(events, None if next_cursor is None else str(next_cursor), bool(value["has_more"]))

    of_plant = {"plant": None if plant is None else exact_id(plant), "order": order}
    query = {"type": list(types), **of_plant, "limit": limit, "cursor": cursor, "wait": wait}
    return Call(Request("GET", _with_query("/events", query)), repeatable=True, read=read)


def event(event_id: str) -> Call[Event]:
    path = f"/events/{quote(event_id, safe='')}"
    return Call(Request("GET", path), repeatable=True, read=lambda answer: read_event(read_json(answer.body)))


def send_test_event(event_type: str) -> Call[SentTestEvent]:
    def read(answer: Answer) -> SentTestEvent:
        value = read_json(answer.body)
        return SentTestEvent(value["id"], value["streams"])

    body = json.dumps({"type": event_type}, separators=(",", ":"))
    return Call(Request("POST", "/events/test", _JSON, _encoded(body)), repeatable=False, read=read)


def export(export_format: Format) -> Call[None]:
    media_type = "text/csv" if export_format == "csv" else "application/x-ndjson"
    return Call(Request("GET", "/plants", {"Accept": media_type}), repeatable=True, read=lambda _: None)


def _read_stored(answer: Answer) -> Plant:
    return read_plant(read_json(answer.body), answer.headers.get("etag"))


def _plant_path(plant_id: int) -> str:
    return f"/plants/{exact_id(plant_id)}"


def _condition(if_match: str | None) -> dict[str, str]:
    return {} if if_match is None else {"If-Match": if_match}


def _with_query(path: str, query: Mapping[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value is not None and value != []}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def _encoded(text: str) -> bytes:
    """A lone surrogate is sent as an escape, so that it is the service that refuses it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(json.loads(text)).encode()
