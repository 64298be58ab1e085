/** The exports of the published package. */
export type { ErrorCode } from "#contract/error-numbers.ts";
export type { RefusedRecord } from "./bulk.ts";
export type { BulkFormat } from "./bulk-format.ts";
export type { CallOptions, ClientOptions, Exchange, TokenSource } from "./call-options.ts";
export { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
export type {
  Actor,
  EventPage,
  EventPageQuery,
  EventQuery,
  EventsAvailable,
  EventType,
  PlantChangedEvent,
  PlantCreatedEvent,
  PlantEvent,
  PlantRemovedEvent,
  SentTestEvent,
  StreamedEvent,
} from "./event.ts";
export type { ExportStream } from "./export.ts";
export type { ImportCount, ImportOptions, ImportProgress, ImportSummary } from "./import.ts";
export type { ListQuery, PageQuery, PlantPage } from "./page.ts";
export type { CreatedPlant, Id, NewPlant, PlantChange, PlantUpdate, PutPlant, StoredPlant } from "./plant.ts";
export {
  type ConditionOptions,
  type FormatOptions,
  PlantstoreClient,
  type PutOptions,
  type RemoveOptions,
} from "./plantstore-client.ts";
export { refusedFile } from "./refused-file.ts";
export type { PlantToRemove, RemovalCount, RemovalOptions, RemovalProgress, RemovalSummary } from "./removal.ts";
export type { ItemStream, Items, PlantSource, TextSource, UpdateSource } from "./stream.ts";
export type { SentToken } from "./token.ts";
export { verifyWebhook, type WebhookOptions, WebhookVerificationError } from "./webhook-signature.ts";
export type {
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  WebhookChange,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookReplay,
  WebhooksClient,
  WebhookWithSecret,
} from "./webhooks.ts";
