import { z } from "zod";
import {
  eventDataSchema,
  eventPageSchema,
  eventSchema,
  eventStreamSchema,
  eventsAvailableSchema,
  plantChangedEventSchema,
  plantCreatedEventSchema,
  plantEventDataSchema,
  plantRemovedEventSchema,
  previousPlantSchema,
  sentTestEventSchema,
} from "./event-schemas.ts";
import {
  createdPlantSchema,
  errorSchema,
  healthSchema,
  importErrorSchema,
  importResultSchema,
  keptPlantSchema,
  newPlantSchema,
  openApiSchema,
  plantOrderSchema,
  plantPageSchema,
  plantPatchSchema,
  plantsCsvSchema,
  plantsNdjsonSchema,
  referencePageSchema,
} from "./schemas.ts";
import {
  deliveryPageSchema,
  deliverySchema,
  newWebhookSchema,
  secretRollSchema,
  startedReplaySchema,
  webhookChangeSchema,
  webhookListSchema,
  webhookReplaySchema,
  webhookSchema,
  webhookSecretSchema,
  webhookTestSchema,
  webhookWithSecretSchema,
} from "./webhooks.ts";

const PUBLISHED = [
  newPlantSchema,
  createdPlantSchema,
  keptPlantSchema,
  plantPatchSchema,
  plantOrderSchema,
  plantPageSchema,
  importErrorSchema,
  importResultSchema,
  plantsNdjsonSchema,
  plantsCsvSchema,
  healthSchema,
  openApiSchema,
  referencePageSchema,
  errorSchema,
  previousPlantSchema,
  eventDataSchema,
  plantEventDataSchema,
  plantCreatedEventSchema,
  plantChangedEventSchema,
  plantRemovedEventSchema,
  eventSchema,
  eventsAvailableSchema,
  eventPageSchema,
  eventStreamSchema,
  sentTestEventSchema,
  webhookSecretSchema,
  webhookSchema,
  webhookWithSecretSchema,
  webhookListSchema,
  newWebhookSchema,
  webhookChangeSchema,
  secretRollSchema,
  webhookTestSchema,
  webhookReplaySchema,
  startedReplaySchema,
  deliverySchema,
  deliveryPageSchema,
];

/** The schemas of the wire as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function componentSchemas(): Record<string, object> {
  return Object.assign({}, ...PUBLISHED.map(definitions));
}

/** A named schema is converted to a reference, with itself and those it refers to as definitions. */
function definitions(schema: z.ZodType): Record<string, object> {
  const { $defs = {} } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const named = Object.entries($defs).map(([name, { id: _name, ...rest }]) => [name, rest]);
  return JSON.parse(JSON.stringify(Object.fromEntries(named)).replaceAll("#/$defs/", "#/components/schemas/"));
}
