import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSION } from "#contract/v1/version.ts";
import type { WEBHOOK_OPERATIONS } from "#contract/v1/webhook-operations.ts";
import type { ApiCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import type { WebhookService } from "#webhooks/webhook-service.ts";
import { readBody } from "../body.ts";
import { namedInLog, requireScope } from "../callers.ts";
import type { Act } from "../operation.ts";
import type { RequestContext } from "../request-context.ts";

/** Resolves with a record, with the bytes of its JSON, or with nothing for an answer without a body (204). */
type Managed = (context: RequestContext, caller: ApiCaller, id: string) => Promise<unknown>;

export function webhookActs(webhooks: WebhookService): Record<keyof typeof WEBHOOK_OPERATIONS, Act> {
  return {
    listWebhooks: managed(async (_, caller) => {
      return { data: (await webhooks.list(caller)).map(SHAPE_1.webhookRecord) };
    }),
    createWebhook: managed(async (context, caller) => {
      const webhook = { ...(await readBody(context, caller, "readNewWebhook")), version: VERSION };
      const { endpoint, secret } = await webhooks.create(namedInLog(caller, context), webhook);
      return { ...SHAPE_1.webhookRecord(endpoint), secret };
    }),
    getWebhook: managed(async (_, caller, id) => {
      return SHAPE_1.webhookRecord(await webhooks.get(caller, storable(id)));
    }),
    changeWebhook: managed(async (context, caller, id) => {
      const change = await readBody(context, caller, "readWebhookChange", "application/merge-patch+json");
      if (change.url !== undefined) requireScope(caller, "plants:read");
      const changed = await webhooks.change(namedInLog(caller, context), storable(id), change);
      return SHAPE_1.webhookRecord(changed);
    }),
    removeWebhook: managed(async (context, caller, id) => {
      await webhooks.remove(namedInLog(caller, context), storable(id));
    }),
    rollWebhookSecret: managed(async (context, caller, id) => {
      const overlapMs = await readBody(context, caller, "readSecretRoll");
      const { endpoint, secret } = await webhooks.roll(namedInLog(caller, context), storable(id), overlapMs);
      return { ...SHAPE_1.webhookRecord(endpoint), secret };
    }),
    testWebhook: managed(async (context, caller, id) => {
      const type = await readBody(context, caller, "readWebhookTest");
      const { span, trace } = context;
      return SHAPE_1.deliveryRecord(await webhooks.test(caller, storable(id), type, span ?? trace));
    }),
    replayWebhook: managed(async (context, caller, id) => {
      const replay = await readBody(context, caller, "readWebhookReplay");
      return { replay: await webhooks.replay(caller, storable(id), replay) };
    }, 202),
    listWebhookDeliveries: managed(async ({ query }, caller, id) => {
      const page = SHAPE_1.readDeliveryQuery(query);
      return webhooks.deliveries(caller, storable(id), page);
    }),
  };
}

function managed(act: Managed, status: 200 | 202 = 200): Act {
  return async (context, caller, id) => {
    const record = await act(context, caller, id);
    if (record === undefined) return new Response(null, { status: 204 });
    const body = record instanceof Uint8Array ? (record as Uint8Array<ArrayBuffer>) : JSON.stringify(record);
    const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
    return context.service.guards.largeAnswers.withBody(context, body, { status, headers });
  };
}

/** Throws "not-found" for text that no id can be, as for any id that there is not. */
function storable(id: string): string {
  if (!isStorableText(id)) throw new Failure("not-found", "There is no webhook endpoint with the id in the address");
  return id;
}
