from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Mapping, Sequence
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
    each_async,
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


class AsyncExport(AsyncIterator[T], Generic[T]):
    """The items of an export, and where the events after it begin."""

    def __init__(self, read: Callable[[Opened], AsyncGenerator[T, None]]) -> None:
        #: The cursor from which `events` goes on after this export. None until the export has begun to arrive.
        self.cursor: str | None = None
        self._items = read(self._opened)

    async def __anext__(self) -> T:
        return await self._items.__anext__()

    async def aclose(self) -> None:
        await self._items.aclose()

    def _opened(self, headers: Mapping[str, str]) -> None:
        self.cursor = headers.get("events-cursor")


class AsyncPlantstore(Base):
    """The catalogue of a plant store: one method for each operation. To be closed, or used by `async with`.

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
        http: httpx.AsyncClient | None = None,
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
        self._http = http or httpx.AsyncClient()
        #: The account's webhook endpoints.
        self.webhooks = AsyncWebhooks(self)

    async def __aenter__(self) -> AsyncPlantstore:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def create(self, id: int, name: str, tag: str | None = None) -> CreatedPlant:
        """Creates a plant; it is on disk when this returns. Any create may be repeated: the same one is `replayed`."""
        return await self._ask(_calls.create(NewPlant(id, name, tag)))

    async def get(self, id: int) -> Plant:
        return await self._ask(_calls.get(id))

    async def page(
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
        return await self._ask(_calls.page(tag, q, order, limit, cursor, ids))

    async def list(
        self,
        *,
        tag: str | None = None,
        q: str | None = None,
        order: _calls.Order | None = None,
        page_size: int | None = None,
        ids: Iterable[int] | None = None,
    ) -> AsyncIterator[Plant]:
        """All plants that are found, fetched page by page; with `ids`, those of any number of plants that there are."""
        if ids is not None:
            distinct = [*dict.fromkeys(ids)]
            for at in range(0, len(distinct), PAGE_IDS_MAX):
                page = await self.page(tag=tag, q=q, order=order, ids=distinct[at : at + PAGE_IDS_MAX])
                for plant in page.plants:
                    yield plant
            return
        cursor: str | None = None
        while True:
            page = await self.page(tag=tag, q=q, order=order, limit=page_size, cursor=cursor)
            for plant in page.plants:
                yield plant
            if (cursor := page.next_cursor) is None:
                return

    async def change(
        self,
        id: int,
        *,
        name: str | _Unchanged = UNCHANGED,
        tag: str | None | _Unchanged = UNCHANGED,
        if_match: str | None = None,
    ) -> Plant | None:
        """Changes texts of a plant (None removes an optional one); gives the plant, or None if the token may not read."""
        return await self._ask(_calls.change(PlantUpdate(id, name, tag), if_match))

    async def put(
        self,
        id: int,
        name: str,
        tag: str | None = None,
        *,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> PutPlant:
        """Creates the plant, or replaces the one with its id; with `if_none_match="*"` it only creates."""
        return await self._ask(_calls.put(NewPlant(id, name, tag), if_match, if_none_match))

    async def remove(self, id: int, *, if_match: str | None = None, missing_ok: bool = False) -> None:
        """Removes a plant. That there is none is a failure unless it is `missing_ok`."""
        try:
            await self._ask(_calls.remove(id, if_match))
        except PlantstoreError as error:
            if not is_removed(error, missing_ok):
                raise

    async def remove_many(
        self,
        plants: Iterable[int | Plant] | AsyncIterable[int | Plant],
        *,
        dry_run: bool = False,
        on_progress: RemovalTold | None = None,
    ) -> RemovalSummary:
        """Removes any number of plants: by ids, or as they were read, then only in the version of their `etag` if they have one.

        Ids that are not there are counted as missing. With `dry_run` nothing is removed, and all is one request.
        """
        lines = (removal_json(plant).encode() + b"\n" async for plant in each_async(plants))
        return await self._send(lines, "ndjson", removing(dry_run), on_progress)

    async def remove_file(
        self,
        parts: Iterable[bytes] | AsyncIterable[bytes] | bytes,
        format: Format,
        *,
        dry_run: bool = False,
        on_progress: RemovalTold | None = None,
    ) -> RemovalSummary:
        """The same by a file of NDJSON, or of CSV with a column `id`."""
        source = each_async([parts] if isinstance(parts, bytes) else parts)
        return await self._send(source, format, removing(dry_run), on_progress)

    async def import_plants(
        self,
        plants: Iterable[NewPlant | PlantUpdate] | AsyncIterable[NewPlant | PlantUpdate],
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
        lines = (plant_json(plant).encode() + b"\n" async for plant in each_async(plants))
        return await self._send(lines, "ndjson", importing(existing, dry_run), on_progress)

    async def import_file(
        self,
        parts: Iterable[bytes] | AsyncIterable[bytes] | bytes,
        format: Format,
        *,
        existing: Existing = "refuse",
        dry_run: bool = False,
        on_progress: Progress | None = None,
    ) -> ImportSummary:
        """The same of a file of NDJSON or CSV: its bytes, or an open binary file, of any size."""
        source = each_async([parts] if isinstance(parts, bytes) else parts)
        return await self._send(source, format, importing(existing, dry_run), on_progress)

    async def _send(
        self,
        parts: AsyncIterable[bytes],
        source_format: Format,
        bulk: Bulk[Summary],
        on_progress: Callable[[Summary], object] | None,
    ) -> Summary:
        batches, sum_ = Batches(source_format, self._batch_records_max), bulk.empty

        async def send(batch: Batch) -> None:
            nonlocal sum_
            sum_, progress = added(bulk, sum_, await self._ask(bulk_call(batch, source_format, bulk), self._batch_limits))
            if on_progress:
                on_progress(progress)

        if bulk.dry_run:
            await send(whole(b"".join([part async for part in parts])))
            return sum_
        async for part in parts:
            for batch in batches.feed(part):
                await send(batch)
        for batch in batches.finish():
            await send(batch)
        return sum_

    def export(self) -> AsyncExport[Plant]:
        """Every plant, as of one moment. Raises a PlantstoreUnreachable if it breaks off: it never ends early in silence.

        Its `cursor` is where `events` goes on after it.
        """
        return AsyncExport(self._exported_plants)

    def export_file(self, format: Format) -> AsyncExport[bytes]:
        """The same as the bytes of a file, in parts."""
        return AsyncExport(lambda opened: self._exported(format, opened))

    async def _exported_plants(self, opened: Opened) -> AsyncGenerator[Plant, None]:
        lines = Lines(self.url)
        async for part in self._exported("ndjson", opened):
            for plant in lines.feed(part):
                yield plant

    async def _exported(self, format: Format, opened: Opened) -> AsyncGenerator[bytes, None]:
        response = await self._run(_calls.export(format), self._limits, stream=True)
        try:
            opened(response.headers)
            with self._reached():
                async for part in response.aiter_bytes():
                    yield part
        finally:
            await response.aclose()

    async def token(self) -> Token:
        """The token that the client sends, and its store: to test a connection."""
        return await self._ask(_calls.token())

    async def event_page(
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
        return await self._ask(_calls.event_page(cursor, types, limit, wait, plant, order))

    async def history(
        self, id: int, *, types: Iterable[str] = (), page_size: int | None = None
    ) -> AsyncIterator[Event]:
        """What happened to the plants that have or had this id, newest first, fetched page by page."""
        types = list(types)
        cursor: str | None = None
        while True:
            page = await self.event_page(plant=id, order="-timestamp", types=types, limit=page_size, cursor=cursor)
            for event in page.events:
                yield event
            if not page.has_more:
                return
            cursor = page.next_cursor

    async def event(self, id: str) -> Event:
        """One event of the feed. Refused with 40404 if there is none, or no longer."""
        return await self._ask(_calls.event(id))

    async def send_test_event(self, type: EventType = "plant.created") -> SentTestEvent:
        """Sends a test event to the account's open streams."""
        return await self._ask(_calls.send_test_event(type))

    async def events(self, *, cursor: str | None = None, types: Iterable[str] = ()) -> AsyncIterator[Event]:
        """The account's events as they happen. It goes on where it was when a connection is cut."""
        types = list(types)
        while True:
            page = await self._ask(_calls.event_page(cursor, types, None, EVENTS_WAIT_S), self._batch_limits)
            for event in page.events:
                yield event
            cursor = page.next_cursor

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                require_length(len(body), self.url)
        finally:
            await response.aclose()
        return bytes(body)

    async def _ask(self, call: Call[T], limits: Limits | None = None) -> T:
        result: T = await self._run(call, limits or self._limits, stream=False)
        return result

    async def _run(self, call: Call[Any], limits: Limits, *, stream: bool) -> Any:
        """The result of a call; of a stream, its open response."""
        flow = persist(call, self.url, limits, self._on_exchange)
        response: httpx.Response | None = None
        step = next(flow)
        while True:
            try:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    step = next(flow)
                    continue
                try:
                    with self._reached():
                        request = self._prepared(self._http, step, limits)
                        response = await self._http.send(request, stream=True, follow_redirects=False)
                        self._learn_rate(response)
                        opens = stream and response.is_success
                        body = b"" if opens else await self._body(response)
                except PlantstoreUnreachable as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(Answer(response.status_code, response.headers, body))
            except StopIteration as end:
                return response if stream else end.value


class AsyncWebhooks:
    """The account's webhook endpoints.

    The token must have the scope `webhooks:manage`; to add one, to change its `url` and to replay, `plants:read` too.
    """

    def __init__(self, store: AsyncPlantstore) -> None:
        self._store = store

    async def create(
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
        return await self._store._ask(_webhook_endpoints.create(members))

    async def list(self) -> Sequence[WebhookEndpoint]:
        return await self._store._ask(_webhook_endpoints.endpoints())

    async def get(self, id: str) -> WebhookEndpoint:
        return await self._store._ask(_webhook_endpoints.get(id))

    async def change(
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
        return await self._store._ask(_webhook_endpoints.change(id, {**members, "enabled": enabled, "resume": resume}))

    async def remove(self, id: str) -> None:
        await self._store._ask(_webhook_endpoints.remove(id))

    async def roll_secret(self, id: str, overlap: str | None = None) -> WebhookEndpoint:
        """Gives the endpoint with a new `secret`. Both sign for `overlap`, a duration such as "24h" (the default)."""
        return await self._store._ask(_webhook_endpoints.roll_secret(id, overlap))

    async def test(self, id: str, type: EventType | None = None) -> WebhookDelivery:
        """Sends a test event now."""
        return await self._store._ask(_webhook_endpoints.test(id, type))

    async def replay(
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
        return await self._store._ask(_webhook_endpoints.replay(id, members))

    async def deliveries(
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
        return await self._store._ask(_webhook_endpoints.deliveries(id, query))
