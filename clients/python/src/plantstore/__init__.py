"""The client of the Plantstore service: exact ids, retries that are safe, imports and exports as streams."""

from ._async import AsyncExport, AsyncPlantstore
from ._errors import PlantstoreError, PlantstoreUnreachable, WebhookVerificationError
from ._imports import ImportProgress, ImportSummary, RefusedRecord, RemovalProgress, RemovalSummary
from ._sync import Export, Plantstore
from ._types import (
    UNCHANGED,
    CreatedPlant,
    Event,
    EventPage,
    EventsAvailable,
    NewPlant,
    Plant,
    PlantPage,
    PlantUpdate,
    PutPlant,
    Token,
    TokenStore,
)
from ._version import VERSION as __version__
from ._webhooks import verify_webhook

__all__ = [
    "UNCHANGED",
    "AsyncExport",
    "AsyncPlantstore",
    "CreatedPlant",
    "Event",
    "EventPage",
    "EventsAvailable",
    "ImportProgress",
    "ImportSummary",
    "NewPlant",
    "Plant",
    "PlantPage",
    "PlantUpdate",
    "Plantstore",
    "PlantstoreError",
    "PlantstoreUnreachable",
    "PutPlant",
    "RefusedRecord",
    "RemovalProgress",
    "RemovalSummary",
    "Token",
    "TokenStore",
    "WebhookVerificationError",
    "__version__",
    "verify_webhook",
]
