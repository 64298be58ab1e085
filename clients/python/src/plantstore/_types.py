"""The records of the API, and how they are read. Whoever reads an answer of something else raises a ValueError."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final


class _Unchanged:
    def __repr__(self) -> str:
        return "UNCHANGED"


#: The default of a change: the member stays as it is, while None removes a tag.
UNCHANGED: Final = _Unchanged()


@dataclass(frozen=True, slots=True)
class NewPlant:
    """A plant to create. `id` is any int64; `name` and `tag` are any text without U+0000 and lone surrogates."""

    id: int
    name: str
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class PlantUpdate:
    """What an import with `existing="update"` sets of a plant; `tag=None` removes the tag."""

    id: int
    name: str | _Unchanged = UNCHANGED
    tag: str | None | _Unchanged = UNCHANGED


@dataclass(frozen=True, slots=True)
class CreatedPlant:
    """The answer to a create. `replayed` is true if the same plant was there and nothing was written."""

    name: str
    tag: str | None
    replayed: bool


@dataclass(frozen=True, slots=True)
class Plant:
    """A plant as stored. `get` and `change` give its `etag`, for `if_match`; lists and exports do not."""

    id: int
    name: str
    tag: str | None
    created_at: datetime
    updated_at: datetime
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class PutPlant:
    """The answer to a put. `plant` is None if the token may not read."""

    plant: Plant | None
    #: The plant's version, for `if_match`.
    etag: str
    created: bool
    #: True if the same plant was there and nothing was written.
    replayed: bool


@dataclass(frozen=True, slots=True)
class TokenStore:
    id: str
    name: str
    test: bool


@dataclass(frozen=True, slots=True)
class Token:
    """The token of a client, and the store that it belongs to. `expires_at` is None if it has no end."""

    id: str
    name: str
    scopes: tuple[str, ...]
    expires_at: datetime | None
    store: TokenStore


@dataclass(frozen=True, slots=True)
class PlantPage:
    plants: list[Plant]
    #: None after the last page. A page may be short, or empty, and still have a next one.
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a plant; `previous` has the members that a change changed, as they were."""

    id: str
    type: str
    timestamp: datetime
    version: str
    plant_id: int
    #: The plant after a create or change, or before a removal; None in a webhook that it would make too long.
    plant: Plant | None
    previous: Mapping[str, str | None]
    test: bool

    @property
    def cursor(self) -> str:
        """The cursor from which `events` goes on after this one. A test event, which is not in the feed, has none: ""."""
        return "" if self.test else self.id


@dataclass(frozen=True, slots=True)
class EventsAvailable:
    """What an endpoint with `delivery: notice` is sent: there are events to read from `cursor` on."""

    id: str
    timestamp: datetime
    version: str
    cursor: str


@dataclass(frozen=True, slots=True)
class SentTestEvent:
    id: str
    #: The account's open streams on the node that answered.
    streams: int


@dataclass(frozen=True, slots=True)
class EventPage:
    events: list[Event]
    #: Keep it, and go on from it. None alone at the oldest event of the feed read back.
    next_cursor: str | None
    has_more: bool


def exact_id(plant_id: int) -> int:
    """Refuses a float, which may have been rounded already, and a bool."""
    if isinstance(plant_id, int) and not isinstance(plant_id, bool):
        return plant_id
    raise TypeError(f"An id must be an int, and is {plant_id!r}")


def plant_json(plant: NewPlant | PlantUpdate) -> str:
    if not isinstance(plant, (NewPlant, PlantUpdate)):
        raise TypeError(f"A plant is a NewPlant or a PlantUpdate, and is a {type(plant).__name__}")
    return members_json({"id": exact_id(plant.id), **plant_members(plant)})


#: The texts of a plant, in the order of the service's columns.
MEMBERS: Final = tuple(field.name for field in fields(NewPlant) if field.name != "id")


def plant_members(plant: NewPlant | PlantUpdate) -> dict[str, Any]:
    """Its texts, as far as they are given. In a new plant None is no text; in an update it takes the text away."""
    left_out = None if isinstance(plant, NewPlant) else UNCHANGED
    members = {name: getattr(plant, name) for name in MEMBERS}
    return {name: value for name, value in members.items() if value is not left_out}


def read_texts(value: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(value.get("name"), str):
        raise ValueError("The answer holds no plant")
    return {name: value.get(name) for name in MEMBERS}


def removal_json(plant: int | Plant) -> str:
    if not isinstance(plant, Plant):
        return str(exact_id(plant))
    return str(plant.id) if plant.etag is None else members_json({"id": plant.id, "etag": plant.etag})


def members_json(members: Mapping[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def read_json(text: str | bytes) -> dict[str, Any]:
    value = json.loads(text)
    if isinstance(value, dict):
        return value
    raise ValueError("The answer is no JSON object")


def read_plant(value: Any, etag: str | None = None) -> Plant:
    if not (isinstance(value, dict) and type(value.get("id")) is int):
        raise ValueError("The answer holds no plant")
    return Plant(
        id=value["id"],
        **read_texts(value),
        created_at=read_time(value.get("created_at")),
        updated_at=read_time(value.get("updated_at")),
        etag=etag,
    )


def read_event(value: Any) -> Event:
    data = value["data"]
    plant = data.get("plant")
    return Event(
        id=value["id"],
        type=value["type"],
        timestamp=read_time(value["timestamp"]),
        version=value["version"],
        plant_id=int(data["plant_id"]),
        plant=None if plant is None else read_plant(plant),
        previous=data.get("previous", {}),
        test=value.get("test", False),
    )


def read_time(text: Any) -> datetime:
    # Python 3.10 does not read the Z.
    return datetime.fromisoformat(str(text).replace("Z", "+00:00"))
