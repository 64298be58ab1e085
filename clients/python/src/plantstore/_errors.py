from __future__ import annotations

from typing import Literal

from ._error_codes import ERROR_CODES


class PlantstoreError(Exception):
    """The service refused a call. `code` is the name of the reason, and `error` its number; /docs lists all of them."""

    def __init__(
        self,
        message: str,
        *,
        error: int,
        status: int,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.error = error
        #: As in "id-taken"; None for an error that is newer than this client.
        self.code = ERROR_CODES.get(error)
        self.status = status
        #: The id to quote in a report.
        self.request_id = request_id
        #: The seconds to wait that the service asks for.
        self.retry_after = retry_after
        #: True if an earlier try of the same call got no answer and may have been carried out.
        self.in_doubt = False


class PlantstoreUnreachable(Exception):
    """There was no answer of the service, which may have carried out the request if `sent` is true.

    - "network": it was not reached, or the connection broke
    - "timeout": it took too long
    - "gateway": something before it answered for it, with 429, 502, 503 or 504
    - "answer": what answered is no Plantstore; probably the url is wrong
    - "address": the name in the url does not exist, or its certificate is refused; trying again would not help
    """

    def __init__(
        self,
        reason: Literal["network", "timeout", "gateway", "answer", "address"],
        message: str,
        retry_after: float | None = None,
        *,
        sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after
        #: False if the service cannot have received the request: nothing was sent, or no Plantstore is there.
        self.sent = sent and reason not in ("answer", "address")


class WebhookVerificationError(Exception):
    """A request that the service did not sign, or not in time."""
