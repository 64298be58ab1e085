from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from types import TracebackType
from typing import Any, TypeVar

import httpx

from . import _calls
from ._base import EVENTS_WAIT_S, Base, Lines, Progress, is_removed
from ._errors import PlantstoreError, PlantstoreUnreachable
from ._imports import Batch, Batches, Format, ImportSummary, added, import_call
from ._retry import Answer, Call, Limits, persist
from ._types import UNCHANGED, CreatedPlant, Event, EventPage, NewPlant, Plant, PlantPage, _Unchanged, plant_json

T = TypeVar("T")


class AsyncPlantstore(Base):
    """Plantstore for asyncio: the same methods, to be awaited or used by `async for`."""

    def __init__(self, url: str, token: str, *, http: httpx.AsyncClient | None = None, **options: Any) -> None:
        super().__init__(url, token, **options)
        self._http = http or httpx.AsyncClient()

    async def __aenter__(self) -> AsyncPlantstore:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def create(self, id: int, name: str, tag: str | None = None) -> CreatedPlant:
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
    ) -> PlantPage:
        return await self._ask(_calls.page(tag, q, order, limit, cursor))

    async def list(
        self,
        *,
        tag: str | None = None,
        q: str | None = None,
        order: _calls.Order | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[Plant]:
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
        return await self._ask(_calls.change(id, name, tag, if_match))

    async def remove(self, id: int, *, if_match: str | None = None) -> None:
        try:
            await self._ask(_calls.remove(id, if_match))
        except PlantstoreError as error:
            if not is_removed(error):
                raise

    async def import_plants(
        self, plants: Iterable[NewPlant] | AsyncIterable[NewPlant], *, on_progress: Progress | None = None
    ) -> ImportSummary:
        lines = (plant_json(plant).encode() + b"\n" async for plant in _each(plants))
        return await self._import(lines, "ndjson", on_progress)

    async def import_file(
        self,
        parts: Iterable[bytes] | AsyncIterable[bytes] | bytes,
        format: Format,
        *,
        on_progress: Progress | None = None,
    ) -> ImportSummary:
        return await self._import(_each([parts] if isinstance(parts, bytes) else parts), format, on_progress)

    async def _import(self, parts: AsyncIterable[bytes], source_format: Format, on_progress: Progress | None) -> ImportSummary:
        batches, sum_ = Batches(source_format), ImportSummary()

        async def send(batch: Batch) -> None:
            nonlocal sum_
            sum_, progress = added(sum_, await self._ask(import_call(batch, source_format), self._batch_limits))
            if on_progress:
                on_progress(progress)

        async for part in parts:
            for batch in batches.feed(part):
                await send(batch)
        for batch in batches.finish():
            await send(batch)
        return sum_

    async def export(self) -> AsyncIterator[Plant]:
        lines = Lines()
        async for part in self.export_file("ndjson"):
            for plant in lines.feed(part):
                yield plant

    async def export_file(self, format: Format) -> AsyncIterator[bytes]:
        response = await self._run(_calls.export(format), self._limits, stream=True)
        try:
            with self._reached():
                async for part in response.aiter_bytes():
                    yield part
        finally:
            await response.aclose()

    async def event_page(
        self, *, cursor: str | None = None, types: Iterable[str] = (), limit: int | None = None, wait: int | None = None
    ) -> EventPage:
        return await self._ask(_calls.event_page(cursor, types, limit, wait))

    async def events(self, *, cursor: str | None = None, types: Iterable[str] = ()) -> AsyncIterator[Event]:
        types = list(types)
        while True:
            page = await self._ask(_calls.event_page(cursor, types, None, EVENTS_WAIT_S), self._batch_limits)
            for event in page.events:
                yield event
            cursor = page.next_cursor

    async def _ask(self, call: Call[T], limits: Limits | None = None) -> T:
        result: T = await self._run(call, limits or self._limits, stream=False)
        return result

    async def _run(self, call: Call[Any], limits: Limits, *, stream: bool) -> Any:
        flow = persist(call, self.url, limits)
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
                        response = await self._http.send(
                            self._prepared(self._http, step, limits), stream=True, follow_redirects=False
                        )
                        opens = stream and response.is_success
                        body = b"" if opens else await response.aread()
                except PlantstoreUnreachable as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(Answer(response.status_code, response.headers, body))
            except StopIteration as end:
                return response if stream else end.value


async def _each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
