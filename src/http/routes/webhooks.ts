import type { Context } from "hono";
import type { BodyReader, Shape } from "#contract/v1/shape.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { type Scope, type Token, userOf } from "#core/token.ts";
import type { WebhookService } from "#webhooks/webhook-service.ts";
import { readBody } from "../body.ts";
import { callerBy, requireScope } from "../callers.ts";
import { mediaType } from "../media-type.ts";
import { type Addresses, type Env, permit, type RouteHandler, send } from "../routing.ts";

/** Returns the answer's body; none for an answer without one (204). */
type Act = (c: Context<Env>, token: Token, shape: Shape) => Promise<object | undefined>;

/** `/webhooks`, under each version. */
export function webhookRoutes(webhooks: WebhookService): Addresses {
  return {
    "/webhooks": {
      GET: managed(async (_, token, shape) => {
        return { data: (await webhooks.list(userOf(token))).map(shape.webhookRecord) };
      }),
      POST: managed(async (c, token, shape) => {
        const webhook = { ...(await bodyOf(c, "readNewWebhook")), version: c.env.context.apiVersion };
        const caller = await callerBy(c.env.context, token);
        const { endpoint, secret } = await webhooks.create(caller, webhook);
        return { ...shape.webhookRecord(endpoint), secret };
      }, SENDING),
    },
    "/webhooks/:id": {
      GET: managed(async (c, token, shape) => shape.webhookRecord(await webhooks.get(userOf(token), idOf(c)))),
      PATCH: managed(async (c, token, shape) => {
        const change = await bodyOf(c, "readWebhookChange", "application/merge-patch+json");
        if (change.url !== undefined) requireScope(token, "plants:read");
        const caller = await callerBy(c.env.context, token);
        return shape.webhookRecord(await webhooks.change(caller, idOf(c), change));
      }),
      DELETE: managed(async (c, token) => {
        await webhooks.remove(await callerBy(c.env.context, token), idOf(c));
        return undefined;
      }),
    },
    "/webhooks/:id/secret": {
      POST: managed(async (c, token, shape) => {
        const overlapMs = await bodyOf(c, "readSecretRoll");
        const caller = await callerBy(c.env.context, token);
        const { endpoint, secret } = await webhooks.roll(caller, idOf(c), overlapMs);
        return { ...shape.webhookRecord(endpoint), secret };
      }),
    },
    "/webhooks/:id/test": {
      POST: managed(async (c, token, shape) => {
        const type = await bodyOf(c, "readWebhookTest");
        const { span, trace } = c.env.context;
        return shape.deliveryRecord(await webhooks.test(userOf(token), idOf(c), type, span ?? trace));
      }),
    },
    "/webhooks/:id/replay": {
      POST: managed(
        async (c, token) => {
          const id = idOf(c);
          return { replay: await webhooks.replay(userOf(token), id, await bodyOf(c, "readWebhookReplay")) };
        },
        SENDING,
        202,
      ),
    },
    "/webhooks/:id/deliveries": {
      GET: async (c) => {
        const { context } = c.env;
        const { token } = await permit(context, "webhooks:manage", "webhooks");
        const query = context.version.shape.readDeliveryQuery(context.query);
        const bytes = await webhooks.deliveries(userOf(token), idOf(c), context.apiVersion, query);
        return send(c, bytes, HEADERS);
      },
    },
  };
}

const HEADERS = { "Content-Type": "application/json", "Cache-Control": "no-store" };
/** Needed for what has plants sent somewhere, since its caller may read them there. */
const SENDING: readonly Scope[] = ["plants:read"];

function managed(act: Act, furtherScopes: readonly Scope[] = [], status: 200 | 202 = 200): RouteHandler {
  return async (c) => {
    const { token } = await permit(c.env.context, "webhooks:manage", "webhooks", furtherScopes);
    const record = await act(c, token, c.env.context.version.shape);
    if (record === undefined) return c.body(null, 204);
    return send(c, JSON.stringify(record), HEADERS, status);
  };
}

function bodyOf<Reader extends BodyReader>(c: Context<Env>, reader: Reader, ...more: readonly string[]) {
  mediaType(c.req.raw, ["application/json", ...more]);
  return readBody(c.env.context, reader);
}

/** Throws "not-found" for text that no id can be, as for any id that there is not. */
function idOf(c: Context<Env>): string {
  const id = c.req.param("id") ?? "";
  if (!isStorableText(id)) throw new Failure("not-found", "There is no webhook endpoint with the id in the address");
  return id;
}
