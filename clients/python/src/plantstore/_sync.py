# Made of _async.py by scripts/python-sync.ts (npm run tables).
from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar

import httpx

from . import _calls, _webhook_endpoints
from ._base import (
    EVENTS_WAIT_S,
    PAGE_IDS_MAX,
    Base,
    Lines,
    Progress,
    RemovalTold,
    is_removed,
    require_length,
)
from ._errors import PlantstoreError, PlantstoreUnreachable
from ._imports import (
    Batch,
    Batches,
    Bulk,
    Existing,
    Format,
    ImportSummary,
    RemovalSummary,
    Summary,
    added,
    bulk_call,
    importing,
    removing,
    whole,
)
from ._retry import Answer, Call, Limits, OnExchange, persist
from ._types import (
    UNCHANGED,
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
    _Unchanged,
    plant_json,
    removal_json,
)
from ._webhook_endpoints import (
    DeliveryMode,
    DeliveryPage,
    DeliveryStatus,
    EventType,
    WebhookDelivery,
    WebhookEndpoint,
    as_list,
)

T = TypeVar("T")
Opened = Callable[[Mapping[str, str]], None]


class Export(Iterator[T], Generic[T]):
    """The items of an export, and where the events after it begin."""

    def __init__(self, read: Callable[[Opened], Generator[T, None, None]]) -> None:
        #: The cursor from which `events` goes on after this export. None until the export has begun to arrive.
        self.cursor: str | None = None
        self._items = read(self._opened)

    def __next__(self) -> T:
        return self._items.__next__()

    def close(self) -> None:
        self._items.close()

    def _opened(self, headers: Mapping[str, str]) -> None:
        self.cursor = headers.get("events-cursor")


class Plantstore(Base):
    """The catalogue of a plant store: one method for each operation. To be closed, or used by `with`.

    Every method raises a PlantstoreError when the service refuses, and a PlantstoreUnreachable when no answer was had. Network
    failures, 429, 502, 503 and 504 are tried again with growing, random pauses, `Retry-After` observed, where a repetition can
    do no harm: reads, creates and imports always, changes and removals with `if_match`, or when the service says that it did
    nothing. While nothing can be sent, as while the service restarts, any call is tried until its time is over.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        application: str | None = None,
        timeout: float = 60.0,
        try_timeout: float = 20.0,
        retries_max: int | None = None,
        headers: Mapping[str, str] | None = None,
        on_exchange: OnExchange | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        """`url` is the base address, as in "https://plants.example.com".

        Without them, `url` and `token` are PLANTSTORE_URL and PLANTSTORE_TOKEN of the environment. `application` is the name
        and version of the program, as in "nursery/2.1". `timeout` is for a call with its retries, `try_timeout` for the silence
        of a connection; both in seconds. `headers`, read at each request, are sent too, such as `traceparent`. `on_exchange` is
        called after each try: to log or trace it, or to read the raw answer; an error that it raises ends the call.
        """
        super().__init__(
            url,
            token,
            application=application,
            timeout=timeout,
            try_timeout=try_timeout,
            retries_max=retries_max,
            headers=headers,
            on_exchange=on_exchange,
        )
        self._http = http or httpx.Client()
        #: The account's webhook endpoints.
        self.webhooks = Webhooks(self)

    def __enter__(self) -> Plantstore:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def create(self, id: int, name: str, tag: str | None = None) -> CreatedPlant:
        """Creates a plant; it is on disk when this returns. Any create may be repeated: the same one is `replayed`."""
        return self._ask(_calls.create(NewPlant(id, name, tag)))

    def get(self, id: int) -> Plant:
        return self._ask(_calls.get(id))

    def page(
        self,
        *,
        tag: str | None = None,
        q: str | None = None,
        order: _calls.Order | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        ids: Iterable[int] | None = None,
    ) -> PlantPage:
        """With `ids`, those of up to 100 plants that there are, in this order and each once; `tag` alone may stand beside it."""
        return self._ask(_calls.page(tag, q, order, limit, cursor, ids))

    def list(
        self,
        *,
        tag: str | None = None,
        q: str | None = None,
        order: _calls.Order | None = None,
        page_size: int | None = None,
        ids: Iterable[int] | None = None,
    ) -> Iterator[Plant]:
        """All plants that are found, fetched page by page; with `ids`, those of any number of plants that there are."""
        if ids is not None:
            distinct = [*dict.fromkeys(ids)]
            for at in range(0, len(distinct), PAGE_IDS_MAX):
                page = self.page(tag=tag, q=q, order=order, ids=distinct[at : at + PAGE_IDS_MAX])
                yield from page.plants
            return
        cursor: str | None = None
        while True:
            page = self.page(tag=tag, q=q, order=order, limit=page_size, cursor=cursor)
            yield from page.plants
            if (cursor := page.next_cursor) is None:
                return

    def change(
        self,
        id: int,
        *,
        name: str | _Unchanged = UNCHANGED,
        tag: str | None | _Unchanged = UNCHANGED,
        if_match: str | None = None,
    ) -> Plant | None:
        """Changes texts of a plant (None removes an optional one); gives the plant, or None if the token may not read."""
        return self._ask(_calls.change(PlantUpdate(id, name, tag), if_match))

    def put(
        self,
        id: int,
        name: str,
        tag: str | None = None,
        *,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> PutPlant:
        """Creates the plant, or replaces the one with its id; with `if_none_match="*"` it only creates."""
        return self._ask(_calls.put(NewPlant(id, name, tag), if_match, if_none_match))

    def remove(self, id: int, *, if_match: str | None = None, missing_ok: bool = False) -> None:
        """Removes a plant. That there is none is a failure unless it is `missing_ok`."""
        try:
            self._ask(_calls.remove(id, if_match))
        except PlantstoreError as error:
            if not is_removed(error, missing_ok):
                raise

    def remove_many(
        self,
        plants: Iterable[int | Plant],
        *,
        dry_run: bool = False,
        on_progress: RemovalTold | None = None,
    ) -> RemovalSummary:
        """Removes any number of plants: by ids, or as they were read, then only in the version of their `etag` if they have one.

        Ids that are not there are counted as missing. With `dry_run` nothing is removed, and all is one request.
        """
        lines = (removal_json(plant).encode() + b"\n" for plant in iter(plants))
        return self._send(lines, "ndjson", removing(dry_run), on_progress)

    def remove_file(
        self,
        parts: Iterable[bytes] | bytes,
        format: Format,
        *,
        dry_run: bool = False,
        on_progress: RemovalTold | None = None,
    ) -> RemovalSummary:
        """The same by a file of NDJSON, or of CSV with a column `id`."""
        source = iter([parts] if isinstance(parts, bytes) else parts)
        return self._send(source, format, removing(dry_run), on_progress)

    def import_plants(
        self,
        plants: Iterable[NewPlant | PlantUpdate],
        *,
        existing: Existing = "refuse",
        dry_run: bool = False,
        on_progress: Progress | None = None,
    ) -> ImportSummary:
        """Creates any number of plants, and with `existing="update"` changes those that are there.

        Refused ones are counted and given; sending all of it again is safe. The first batch is small, and tells the token's rate
        limit, by which the others are answered in time. With `dry_run` nothing is written, and all is one request, held in
        memory.
        """
        lines = (plant_json(plant).encode() + b"\n" for plant in iter(plants))
        return self._send(lines, "ndjson", importing(existing, dry_run), on_progress)

    def import_file(
        self,
        parts: Iterable[bytes] | bytes,
        format: Format,
        *,
        existing: Existing = "refuse",
        dry_run: bool = False,
        on_progress: Progress | None = None,
    ) -> ImportSummary:
        """The same of a file of NDJSON or CSV: its bytes, or an open binary file, of any size."""
        source = iter([parts] if isinstance(parts, bytes) else parts)
        return self._send(source, format, importing(existing, dry_run), on_progress)

    def _send(
        self,
        parts: Iterable[bytes],
        source_format: Format,
        bulk: Bulk[Summary],
        on_progress: Callable[[Summary], object] | None,
    ) -> Summary:
        batches, sum_ = Batches(source_format, self._batch_records_max), bulk.empty

        def send(batch: Batch) -> None:
            nonlocal sum_
            sum_, progress = added(bulk, sum_, self._ask(bulk_call(batch, source_format, bulk), self._batch_limits))
            if on_progress:
                on_progress(progress)

        if bulk.dry_run:
            send(whole(b"".join([part for part in parts])))
            return sum_
        for part in parts:
            for batch in batches.feed(part):
                send(batch)
        for batch in batches.finish():
            send(batch)
        return sum_

    def export(self) -> Export[Plant]:
        """Every plant, as of one moment. Raises a PlantstoreUnreachable if it breaks off: it never ends early in silence.

        Its `cursor` is where `events` goes on after it.
        """
        return Export(self._exported_plants)

    def export_file(self, format: Format) -> Export[bytes]:
        """The same as the bytes of a file, in parts."""
        return Export(lambda opened: self._exported(format, opened))

    def _exported_plants(self, opened: Opened) -> Generator[Plant, None, None]:
        lines = Lines(self.url)
        for part in self._exported("ndjson", opened):
            yield from lines.feed(part)

    def _exported(self, format: Format, opened: Opened) -> Generator[bytes, None, None]:
        response = self._run(_calls.export(format), self._limits, stream=True)
        try:
            opened(response.headers)
            with self._reached():
                yield from response.iter_bytes()
        finally:
            response.close()

    def token(self) -> Token:
        """The token that the client sends, and its store: to test a connection."""
        return self._ask(_calls.token())

    def event_page(
        self,
        *,
        cursor: str | None = None,
        types: Iterable[str] = (),
        limit: int | None = None,
        wait: int | None = None,
        plant: int | None = None,
        order: _calls.EventOrder | None = None,
    ) -> EventPage:
        """One page of events; `wait` keeps an empty answer back for as many seconds, until there is one.

        With `plant`, only events of the plants that have or had this id. `order="-timestamp"` is from the newest back.
        """
        return self._ask(_calls.event_page(cursor, types, limit, wait, plant, order))

    def history(
        self, id: int, *, types: Iterable[str] = (), page_size: int | None = None
    ) -> Iterator[Event]:
        """What happened to the plants that have or had this id, newest first, fetched page by page."""
        types = list(types)
        cursor: str | None = None
        while True:
            page = self.event_page(plant=id, order="-timestamp", types=types, limit=page_size, cursor=cursor)
            yield from page.events
            if not page.has_more:
                return
            cursor = page.next_cursor

    def event(self, id: str) -> Event:
        """One event of the feed. Refused with 40404 if there is none, or no longer."""
        return self._ask(_calls.event(id))

    def send_test_event(self, type: EventType = "plant.created") -> SentTestEvent:
        """Sends a test event to the account's open streams."""
        return self._ask(_calls.send_test_event(type))

    def events(self, *, cursor: str | None = None, types: Iterable[str] = ()) -> Iterator[Event]:
        """The account's events as they happen. It goes on where it was when a connection is cut."""
        types = list(types)
        while True:
            page = self._ask(_calls.event_page(cursor, types, None, EVENTS_WAIT_S), self._batch_limits)
            yield from page.events
            cursor = page.next_cursor

    def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        try:
            for part in response.iter_bytes():
                body += part
                require_length(len(body), self.url)
        finally:
            response.close()
        return bytes(body)

    def _ask(self, call: Call[T], limits: Limits | None = None) -> T:
        result: T = self._run(call, limits or self._limits, stream=False)
        return result

    def _run(self, call: Call[Any], limits: Limits, *, stream: bool) -> Any:
        """The result of a call; of a stream, its open response."""
        flow = persist(call, self.url, limits, self._on_exchange)
        response: httpx.Response | None = None
        step = next(flow)
        while True:
            try:
                if isinstance(step, float):
                    time.sleep(step)
                    step = next(flow)
                    continue
                try:
                    with self._reached():
                        request = self._prepared(self._http, step, limits)
                        response = self._http.send(request, stream=True, follow_redirects=False)
                        self._learn_rate(response)
                        opens = stream and response.is_success
                        body = b"" if opens else self._body(response)
                except PlantstoreUnreachable as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(Answer(response.status_code, response.headers, body))
            except StopIteration as end:
                return response if stream else end.value


class Webhooks:
    """The account's webhook endpoints.

    The token must have the scope `webhooks:manage`; to add one, to change its `url` and to replay, `plants:read` too.
    """

    def __init__(self, store: Plantstore) -> None:
        self._store = store

    def create(
        self,
        url: str,
        *,
        events: Iterable[EventType] | None = None,
        description: str | None = None,
        delivery: DeliveryMode | None = None,
        from_: str | None = None,
    ) -> WebhookEndpoint:
        """Gives the endpoint with its `secret`, which is shown only this once. It begins at `from_`: "now", or a cursor."""
        members = {"url": url, "events": as_list(events), "description": description, "delivery": delivery, "from": from_}
        return self._store._ask(_webhook_endpoints.create(members))

    def list(self) -> Sequence[WebhookEndpoint]:
        return self._store._ask(_webhook_endpoints.endpoints())

    def get(self, id: str) -> WebhookEndpoint:
        return self._store._ask(_webhook_endpoints.get(id))

    def change(
        self,
        id: str,
        *,
        url: str | None = None,
        events: Iterable[EventType] | None = None,
        description: str | None = None,
        delivery: DeliveryMode | None = None,
        enabled: bool | None = None,
        resume: Literal["where_it_stopped", "now"] | None = None,
    ) -> WebhookEndpoint:
        """Changes what is given. `enabled=True` wakes a paused one at once."""
        members = {"url": url, "events": as_list(events), "description": description, "delivery": delivery}
        return self._store._ask(_webhook_endpoints.change(id, {**members, "enabled": enabled, "resume": resume}))

    def remove(self, id: str) -> None:
        self._store._ask(_webhook_endpoints.remove(id))

    def roll_secret(self, id: str, overlap: str | None = None) -> WebhookEndpoint:
        """Gives the endpoint with a new `secret`. Both sign for `overlap`, a duration such as "24h" (the default)."""
        return self._store._ask(_webhook_endpoints.roll_secret(id, overlap))

    def test(self, id: str, type: EventType | None = None) -> WebhookDelivery:
        """Sends a test event now."""
        return self._store._ask(_webhook_endpoints.test(id, type))

    def replay(
        self,
        id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        types: Iterable[EventType] | None = None,
        only: Literal["failed", "all"] | None = None,
        events: Iterable[str] | None = None,
    ) -> str:
        """Delivers events again: a range of the feed by cursors or ids of events, or single events. Gives the replay's id."""
        members = {"from": from_, "to": to, "types": as_list(types), "only": only, "events": as_list(events)}
        return self._store._ask(_webhook_endpoints.replay(id, members))

    def deliveries(
        self,
        id: str,
        *,
        status: DeliveryStatus | None = None,
        type: EventType | None = None,
        event: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> DeliveryPage:
        """One page of the attempts, newest first."""
        query = {"status": status, "type": type, "event": event, "cursor": cursor, "limit": limit}
        return self._store._ask(_webhook_endpoints.deliveries(id, query))
