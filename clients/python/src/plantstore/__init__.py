"""The client of the Plantstore service: exact ids, retries that are safe, imports and exports as streams."""

from ._async import AsyncExport, AsyncPlantstore, AsyncWebhooks
from ._errors import PlantstoreError, PlantstoreUnreachable, WebhookVerificationError
from ._imports import ImportProgress, ImportSummary, RefusedRecord, RemovalProgress, RemovalSummary
from ._retry import Exchange
from ._sync import Export, Plantstore, Webhooks
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
    SentTestEvent,
    Token,
    TokenStore,
)
from ._version import VERSION as __version__
from ._webhook_endpoints import DeliveryPage, WebhookDelivery, WebhookEndpoint, WebhookSecret
from ._webhooks import verify_webhook

__all__ = [
    "UNCHANGED",
    "AsyncExport",
    "AsyncPlantstore",
    "AsyncWebhooks",
    "CreatedPlant",
    "DeliveryPage",
    "Event",
    "EventPage",
    "EventsAvailable",
    "Exchange",
    "Export",
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
    "SentTestEvent",
    "Token",
    "TokenStore",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookSecret",
    "WebhookVerificationError",
    "Webhooks",
    "__version__",
    "verify_webhook",
]
