"""The records of the API, and how they are read. Whoever reads an answer of something else raises a ValueError."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class EventsAvailable:
    """What an endpoint with `delivery: notice` is sent: there are events to read from `cursor` on."""

    id: str
    timestamp: datetime
    version: str
    cursor: str


@dataclass(frozen=True, slots=True)
class EventPage:
    events: list[Event]
    #: Keep it, and go on from it.
    next_cursor: str
    has_more: bool


def exact_id(plant_id: int) -> int:
    """Refuses a float, which may have been rounded already, and a bool."""
    if isinstance(plant_id, int) and not isinstance(plant_id, bool):
        return plant_id
    raise TypeError(f"An id must be an int, and is {plant_id!r}")


def plant_json(plant: NewPlant) -> str:
    members: dict[str, Any] = {"id": exact_id(plant.id), "name": plant.name}
    if plant.tag is not None:
        members["tag"] = plant.tag
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def read_json(text: str | bytes) -> dict[str, Any]:
    value = json.loads(text)
    if isinstance(value, dict):
        return value
    raise ValueError("The answer is no JSON object")


def read_plant(value: Any, etag: str | None = None) -> Plant:
    if not (isinstance(value, dict) and type(value.get("id")) is int and isinstance(value.get("name"), str)):
        raise ValueError("The answer holds no plant")
    times = read_time(value.get("created_at")), read_time(value.get("updated_at"))
    return Plant(value["id"], value["name"], value.get("tag"), *times, etag)


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
