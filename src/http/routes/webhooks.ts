import type { WEBHOOK_OPERATIONS } from "#contract/v1/webhook-operations.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { type Token, userOf } from "#core/token.ts";
import type { WebhookService } from "#webhooks/webhook-service.ts";
import { readBody } from "../body.ts";
import { callerBy, requireScope } from "../callers.ts";
import type { Act } from "../operation.ts";
import type { RequestContext } from "../request-context.ts";

/** Resolves with a record, with the bytes of its JSON, or with nothing for an answer without a body (204). */
type Managed = (context: RequestContext, token: Token, id: string) => Promise<unknown>;

export function webhookActs(webhooks: WebhookService): Record<keyof typeof WEBHOOK_OPERATIONS, Act> {
  return {
    listWebhooks: managed(async ({ version }, token) => {
      return { data: (await webhooks.list(userOf(token))).map(version.shape.webhookRecord) };
    }),
    createWebhook: managed(async (context, token) => {
      const webhook = { ...(await readBody(context, "readNewWebhook")), version: context.apiVersion };
      const { endpoint, secret } = await webhooks.create(await callerBy(context, token), webhook);
      return { ...context.version.shape.webhookRecord(endpoint), secret };
    }),
    getWebhook: managed(async ({ version }, token, id) => {
      return version.shape.webhookRecord(await webhooks.get(userOf(token), storable(id)));
    }),
    changeWebhook: managed(async (context, token, id) => {
      const change = await readBody(context, "readWebhookChange", "application/merge-patch+json");
      if (change.url !== undefined) requireScope(token, "plants:read");
      const changed = await webhooks.change(await callerBy(context, token), storable(id), change);
      return context.version.shape.webhookRecord(changed);
    }),
    removeWebhook: managed(async (context, token, id) => {
      await webhooks.remove(await callerBy(context, token), storable(id));
    }),
    rollWebhookSecret: managed(async (context, token, id) => {
      const overlapMs = await readBody(context, "readSecretRoll");
      const { endpoint, secret } = await webhooks.roll(await callerBy(context, token), storable(id), overlapMs);
      return { ...context.version.shape.webhookRecord(endpoint), secret };
    }),
    testWebhook: managed(async (context, token, id) => {
      const type = await readBody(context, "readWebhookTest");
      const { span, trace, version } = context;
      return version.shape.deliveryRecord(await webhooks.test(userOf(token), storable(id), type, span ?? trace));
    }),
    replayWebhook: managed(async (context, token, id) => {
      const replay = await readBody(context, "readWebhookReplay");
      return { replay: await webhooks.replay(userOf(token), storable(id), replay) };
    }, 202),
    listWebhookDeliveries: managed(async ({ version, apiVersion, query }, token, id) => {
      const page = version.shape.readDeliveryQuery(query);
      return webhooks.deliveries(userOf(token), storable(id), apiVersion, page);
    }),
  };
}

function managed(act: Managed, status: 200 | 202 = 200): Act {
  return async (context, { token }, id) => {
    const record = await act(context, token, id);
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
