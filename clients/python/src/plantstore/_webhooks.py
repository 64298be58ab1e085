from __future__ import annotations

import base64
import binascii
import hmac
import time
from collections.abc import Mapping, Sequence

from ._errors import WebhookVerificationError
from ._types import Event, EventsAvailable, read_event, read_json, read_time

_SECRET_PREFIX = "whsec_"


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event | EventsAvailable:
    """Checks the signature of a webhook request (Standard Webhooks 1.0.0), and gives its event.

    `body` is the request's body as it arrived: parsed and written again, its signature no longer fits. During a change of the
    secret give both. Raises a WebhookVerificationError.
    """
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise WebhookVerificationError(f"The request has no header {name}")
    timestamp = given["webhook-timestamp"]
    seconds = int(timestamp) if timestamp.isdecimal() else 0
    if abs((time.time() if now is None else now) - seconds) > tolerance:
        raise WebhookVerificationError(f"The request's time is {timestamp}, too far from now")
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [_signature(each, signed) for each in secrets]
    for signature in given["webhook-signature"].split(" "):
        if any(hmac.compare_digest(signature.encode(), each) for each in expected):
            return _read(body)
    raise WebhookVerificationError("No signature of the request fits the secret")


def _signature(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except binascii.Error:
        raise TypeError("The secret must be whsec_ and base64, as the service gave it") from None
    return b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))


def _read(body: bytes) -> Event | EventsAvailable:
    value = read_json(body)
    if value["type"] != "events.available":
        return read_event(value)
    return EventsAvailable(value["id"], read_time(value["timestamp"]), value["version"], value["data"]["cursor"])
