import { bulkBody, readImportQuery, readRemovalQuery } from "./bulk-body.ts";
import { BULK_OPERATIONS } from "./bulk-operations.ts";
import { BULK_READERS, BulkRecords } from "./bulk-records.ts";
import { componentSchemas } from "./component-schemas.ts";
import { CSV_HEADER, csvRecord } from "./csv.ts";
import { readDeliveryQuery } from "./delivery-query.ts";
import { eventBody, eventBodyWithDoer, eventPageBody, noticeBody, testEventBody, webhookEventBody } from "./event.ts";
import { EVENT_OPERATIONS } from "./event-operations.ts";
import { readEventQuery } from "./event-query.ts";
import { readNewPlant, readPlantPatch, readStrictNewPlant } from "./new-plant.ts";
import { keptPlantBody, keptPlantLine, plantBody, plantPageBody } from "./plant.ts";
import { PLANT_OPERATIONS } from "./plant-operations.ts";
import { nextPageQuery, readPlantQuery } from "./plant-query.ts";
import { readPlantRemoval } from "./plant-removal.ts";
import { readPlantPut, readPlantUpdate } from "./plant-update.ts";
import { tokenRecord } from "./token.ts";
import { TOKEN_OPERATIONS } from "./token-operations.ts";
import { deliveryPageRecord, deliveryRecord, webhookRecord } from "./webhook.ts";
import {
  readNewWebhook,
  readSecretRoll,
  readWebhookChange,
  readWebhookReplay,
  readWebhookTest,
} from "./webhook-body.ts";
import { WEBHOOK_OPERATIONS, webhookRequests } from "./webhook-operations.ts";

/**
 * The shapes of version 1: the functions that read its requests into core types and render core types as its answers.
 * All handlers and the OpenAPI document use them, and webhook endpoints by the version that they name.
 */
export const SHAPE_1 = {
  readNewPlant,
  readStrictNewPlant,
  plantBody,
  readPlantPatch,
  readPlantPut,
  readPlantUpdate,
  readPlantRemoval,
  keptPlantBody,
  readPlantQuery,
  nextPageQuery,
  plantPageBody,
  BulkRecords,
  bulkReaders: BULK_READERS,
  bulkBody,
  readImportQuery,
  readRemovalQuery,
  exports: {
    "application/x-ndjson": { head: "", record: keptPlantLine },
    "text/csv": { head: CSV_HEADER, record: csvRecord },
  },
  readEventQuery,
  eventBody,
  eventBodyWithDoer,
  eventPageBody,
  testEventBody,
  webhookEventBody,
  noticeBody,
  readNewWebhook,
  readWebhookChange,
  readSecretRoll,
  readWebhookTest,
  readWebhookReplay,
  webhookRecord,
  readDeliveryQuery,
  deliveryRecord,
  deliveryPageRecord,
  tokenRecord,
  schemas: componentSchemas,
  operations: {
    ...PLANT_OPERATIONS,
    ...BULK_OPERATIONS,
    ...EVENT_OPERATIONS,
    ...WEBHOOK_OPERATIONS,
    ...TOKEN_OPERATIONS,
  },
  webhookRequests,
} as const;

export type Shape = typeof SHAPE_1;
export type OperationId = keyof Shape["operations"];

/** The functions that read the body of a request. */
export type BodyReader = Exclude<Extract<keyof Shape, `read${string}`>, `${string}Query`>;

/** `more` is the reader's second argument. */
export function readBodyBy<Reader extends BodyReader>(
  reader: Reader,
  text: string,
  more?: Parameters<Shape[Reader]>[1],
): ReturnType<Shape[Reader]> {
  const read = SHAPE_1[reader] as (text: string, more: unknown) => ReturnType<Shape[Reader]>;
  return read(text, more);
}
