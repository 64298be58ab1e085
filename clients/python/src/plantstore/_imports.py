"""Cuts what is sent in bulk into batches, holding one at a time: one that got no answer is sent again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from ._retry import Answer, Call, Request
from ._types import read_json

Format = Literal["ndjson", "csv"]
#: What becomes of a record whose plant is there: "refuse" unless it is the same, or "update".
Existing = Literal["refuse", "update"]

_MEDIA_TYPES = {"ndjson": "application/x-ndjson", "csv": "text/csv"}
#: The number of refused records that one answer can name.
_RECORDS_MAX = 10_000
#: The size of a batch that is sent while the rate limit is unknown.
_RECORDS_FIRST = 100
#: So much of a token's rate limit is for what it writes in bulk.
_RATE_SHARE = 0.75
#: Single requests of the same token slow a batch down, which should be answered within its time all the same.
_SHARE_OF_TIME = 0.5
_SIZE_BYTES = 4 * 1024 * 1024
_RECORD_SIZE_BYTES_MAX = 16 * 1024 * 1024
_REFUSED_KEPT_MAX = 10_000
#: About a minute of tries, in which a service that restarts is back: an import that failed would have to begin again.
_RETRIES_MAX_ONCE_BEGUN = 20
_MARK = b"\xef\xbb\xbf"
#: The rest of a quoted field (RFC 4180, 2.7).
_TO_CLOSING_QUOTE = re.compile(rb'[^"]*(?:""[^"]*)*"(?!")')
#: Blanks alone, or cells that hold nothing.
_PASSED_OVER = re.compile(rb'[ \t\r\n]*|(?:"")?(?:,(?:"")?)*[\r\n]*')
#: The first line of a CSV may name its separator, as spreadsheets do.
_SEPARATOR = re.compile(rb"sep=[^\r\n]{0,4}[\r\n]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    #: The record's first line, counted from 1 as an editor does; for plants and ids, the position counted from 1.
    line: int
    #: The service's number, such as 40901.
    error: int
    message: str


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The outcome so far. Every record that is counted as created or updated is on disk."""

    created: int = 0
    #: Records that changed a plant, with `existing="update"`.
    updated: int = 0
    #: Records whose plant was there already, with the same name and tag.
    unchanged: int = 0
    failed: int = 0
    #: The lines of the source up to the end of the last answered batch.
    lines: int = 0
    #: The first 10,000 refused records; in a progress, those of the batch.
    refused: tuple[RefusedRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class RemovalSummary:
    """The outcome so far. Every record that is counted as removed is removed on disk."""

    removed: int = 0
    #: Records for whose id there was no plant.
    missing: int = 0
    failed: int = 0
    #: The lines of the source up to the end of the last answered batch.
    lines: int = 0
    #: The first 10,000 refused records; in a progress, those of the batch.
    refused: tuple[RefusedRecord, ...] = ()


#: What `on_progress` is given after each batch.
ImportProgress = ImportSummary
RemovalProgress = RemovalSummary

Summary = TypeVar("Summary", ImportSummary, RemovalSummary)


@dataclass(frozen=True, slots=True)
class Bulk(Generic[Summary]):
    """An operation that takes any number of records, and the counts of its summary."""

    path: str
    empty: Summary
    counts: tuple[str, ...]
    #: True if nothing is to be written; all records are one request then.
    dry_run: bool


def importing(existing: Existing, dry_run: bool) -> Bulk[ImportSummary]:
    query = "" if existing == "refuse" else f"existing={existing}&"
    return Bulk(f"/plants/import?{query}", ImportSummary(), ("created", "updated", "unchanged", "failed"), dry_run)


def removing(dry_run: bool) -> Bulk[RemovalSummary]:
    return Bulk("/plants/remove?", RemovalSummary(), ("removed", "missing", "failed"), dry_run)


@dataclass(frozen=True, slots=True)
class Batch:
    header: bytes
    #: The line of the source at which the records begin.
    first_line: int
    records: bytes
    lines_ended: int
    #: True for the first batch of the source.
    first: bool


class Batches:
    """Takes a file in parts, and gives runs of whole records, byte for byte as in the source."""

    def __init__(self, source_format: Format, records_max: Callable[[], int]) -> None:
        self._records_max = records_max
        self._csv = source_format == "csv"
        self._header: bytes | None = None if self._csv else b""
        self._rest = b""
        self._record: list[bytes] = []
        self._record_size = 0
        self._in_quotes = False
        self._records: list[bytes] = []
        self._size = self._lines = self._taken_lines = self._batches = 0

    def feed(self, chunk: bytes) -> Iterator[Batch]:
        lines = (self._rest + chunk).splitlines(keepends=True)
        # The last line may go on, and a CR at the end may be half of a CRLF.
        self._rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        self._check(len(self._rest))
        for line in lines:
            self._add(line)
            if len(self._records) >= self._records_max() or self._size >= _SIZE_BYTES:
                yield self._take()

    def finish(self) -> Iterator[Batch]:
        if self._rest:
            self._add(self._rest)
        if self._record:
            self._end_record()
        # The first batch is sent even if it is empty, since the service may refuse its header.
        if self._records or self._batches == 0:
            yield self._take()

    def _add(self, line: bytes) -> None:
        self._check(len(line))
        self._record.append(line)
        self._record_size += len(line)
        if self._csv:
            start = len(_MARK) if self._lines == 0 and line.startswith(_MARK) else 0
            self._in_quotes = _ends_in_quotes(line, start, self._in_quotes)
        self._lines += 1
        if not self._in_quotes:
            self._end_record()

    def _end_record(self) -> None:
        record = b"".join(self._record)
        self._record, self._record_size, self._in_quotes = [], 0, False
        if self._header is not None:
            self._records.append(record)
            self._size += len(record)
            return
        self._records.append(record)
        line = record.removeprefix(_MARK)
        if not (_PASSED_OVER.fullmatch(line) or (len(self._records) == 1 and _SEPARATOR.fullmatch(line))):
            header = b"".join(self._records)
            self._header = header if header.endswith((b"\n", b"\r")) else header + b"\n"
            self._records, self._taken_lines = [], self._lines

    def _take(self) -> Batch:
        batch = Batch(self._header or b"", self._taken_lines + 1, b"".join(self._records), self._lines, self._batches == 0)
        self._records, self._size, self._taken_lines = [], 0, self._lines
        self._batches += 1
        return batch

    def _check(self, size: int) -> None:
        if self._record_size + size > _RECORD_SIZE_BYTES_MAX:
            where = self._lines - len(self._record) + 1
            raise ValueError(f"The record at line {where} has more than 16 MiB; is a quote missing, or a line's end?")


def whole(records: bytes) -> Batch:
    """All records as one batch."""
    return Batch(b"", 1, records, 0, True)


def bulk_call(batch: Batch, source_format: Format, bulk: Bulk[Summary]) -> Call[Summary]:
    header_lines = len(batch.header.splitlines())

    def read(answer: Answer) -> Summary:
        value = read_json(answer.body)
        refused = tuple(
            RefusedRecord(each["line"] - header_lines - 1 + batch.first_line, each["error"], each["message"])
            for each in value["errors"]
        )
        counts: dict[str, Any] = {name: value.get(name, 0) for name in bulk.counts}
        if not all(type(count) is int for count in counts.values()):
            raise ValueError("The answer holds no count")
        return replace(bulk.empty, **counts, lines=batch.lines_ended, refused=refused)

    headers = {"Content-Type": _MEDIA_TYPES[source_format]}
    dry_run = "dry_run=true&" if bulk.dry_run else ""
    path = f"{bulk.path}{dry_run}errors_max={_RECORDS_MAX}"
    request = Request("POST", path, headers, batch.header + batch.records)
    return Call(request, repeatable=True, read=read, retries_max=None if batch.first else _RETRIES_MAX_ONCE_BEGUN)


def added(bulk: Bulk[Summary], before: Summary, batch: Summary) -> tuple[Summary, Summary]:
    """The sum, and the progress that is told."""
    counts: dict[str, Any] = {name: getattr(before, name) + getattr(batch, name) for name in bulk.counts}
    kept = before.refused + batch.refused[: _REFUSED_KEPT_MAX - len(before.refused)]
    return replace(batch, **counts, refused=kept), replace(batch, **counts)


def records_per_second(headers: Mapping[str, str]) -> float | None:
    """What a token may write in bulk in a second, by `RateLimit-Policy`; None if it does not tell."""
    policy = re.search(r'"token";q=(\d+);w=(\d+)', headers.get("ratelimit-policy", ""))
    return _RATE_SHARE * int(policy[1]) / int(policy[2]) if policy else None


def batch_records_max(per_second: float | None, try_timeout: float) -> int:
    """The records of the next batch, of which a try takes that long at most; None for a rate that no answer has told yet."""
    if per_second is None:
        return _RECORDS_FIRST
    return int(min(_RECORDS_MAX, max(1, per_second * try_timeout * _SHARE_OF_TIME)))


def _ends_in_quotes(line: bytes, start: int, in_quotes: bool) -> bool:
    """Whether a line of CSV ends inside a quoted field. A quote opens one at its start alone."""
    if not in_quotes and b'"' not in line:
        return False
    at = start
    while True:
        if in_quotes or line[at : at + 1] == b'"':
            closing = _TO_CLOSING_QUOTE.match(line, at if in_quotes else at + 1)
            if closing is None:
                return True
            in_quotes, at = False, closing.end()
        at = line.find(b",", at) + 1
        if at == 0:
            return False
