import { type Context, Hono } from "hono";
import type { Shape } from "#contract/v1/shape.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import type { WebhookService } from "#core/webhook.ts";
import { allowOnly } from "../allow-only.ts";
import { readText } from "../body.ts";
import type { Env } from "../env.ts";
import { mediaType } from "../media-type.ts";
import { permit } from "../permit.ts";
import type { Service } from "../service.ts";
import { tokenSource } from "../token-source.ts";

type Handler = (c: Context<Env>) => Promise<Response>;

/** `/webhooks`, under each version. */
export function webhookRoutes(service: Service, webhooks: WebhookService): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/webhooks", async (c) => {
    const account = await accountOf(service, c);
    return json(c, { data: (await webhooks.list(account)).map(shapeOf(c).webhookRecord) });
  });

  routes.post("/webhooks", async (c) => {
    const account = await accountOf(service, c);
    const webhook = { ...shapeOf(c).readNewWebhook(await bodyOf(c)), version: c.env.context.apiVersion };
    const { endpoint, secret } = await webhooks.create(account, webhook, await tokenSource(c.env.context));
    return json(c, { ...shapeOf(c).webhookRecord(endpoint), secret });
  });

  routes.get("/webhooks/:id", async (c) => {
    const account = await accountOf(service, c);
    return json(c, shapeOf(c).webhookRecord(await webhooks.get(account, idOf(c))));
  });

  routes.patch("/webhooks/:id", async (c) => {
    const account = await accountOf(service, c);
    const change = shapeOf(c).readWebhookChange(await bodyOf(c, "application/merge-patch+json"));
    const changed = await webhooks.change(account, idOf(c), change, await tokenSource(c.env.context));
    return json(c, shapeOf(c).webhookRecord(changed));
  });

  routes.delete("/webhooks/:id", async (c) => {
    const account = await accountOf(service, c);
    await webhooks.remove(account, idOf(c), await tokenSource(c.env.context));
    return c.body(null, 204);
  });

  for (const [path, handler] of Object.entries(actions(service, webhooks))) {
    routes.post(path, handler);
    allowOnly(routes, path, ["POST"]);
  }

  routes.get("/webhooks/:id/deliveries", async (c) => {
    const account = await accountOf(service, c);
    const query = shapeOf(c).readDeliveryQuery(c.env.context.query);
    const { deliveries, next } = await webhooks.deliveries(account, idOf(c), query);
    return json(c, shapeOf(c).deliveryPageRecord(deliveries, next));
  });

  allowOnly(routes, "/webhooks", ["GET", "POST"]);
  allowOnly(routes, "/webhooks/:id", ["GET", "PATCH", "DELETE"]);
  allowOnly(routes, "/webhooks/:id/deliveries", ["GET"]);
  return routes;
}

function actions(service: Service, webhooks: WebhookService): Readonly<Record<string, Handler>> {
  return {
    "/webhooks/:id/secret": async (c) => {
      const account = await accountOf(service, c);
      const overlapMs = shapeOf(c).readSecretRoll(await bodyOf(c));
      const source = await tokenSource(c.env.context);
      const { endpoint, secret } = await webhooks.roll(account, idOf(c), overlapMs, source);
      return json(c, { ...shapeOf(c).webhookRecord(endpoint), secret });
    },
    "/webhooks/:id/test": async (c) => {
      const account = await accountOf(service, c);
      const type = shapeOf(c).readWebhookTest(await bodyOf(c));
      const { span, trace } = c.env.context;
      return json(c, shapeOf(c).deliveryRecord(await webhooks.test(account, idOf(c), type, span ?? trace)));
    },
    "/webhooks/:id/replay": async (c) => {
      const account = await accountOf(service, c);
      const replay = await webhooks.replay(account, idOf(c), shapeOf(c).readWebhookReplay(await bodyOf(c)));
      return json(c, { replay }, 202);
    },
  };
}

async function accountOf(service: Service, c: Context<Env>): Promise<number> {
  c.env.context.route = "webhooks";
  return (await permit(service, c, "webhooks:manage")).token.account;
}

async function bodyOf(c: Context<Env>, ...more: readonly string[]): Promise<string> {
  mediaType(c.req.raw, ["application/json", ...more]);
  return readText(c.env.context);
}

function shapeOf(c: Context<Env>): Shape {
  return c.env.context.version.shape;
}

/** Throws "event-unknown" for text that no id can be, as for any id that there is not. */
function idOf(c: Context<Env>): string {
  const id = c.req.param("id") ?? "";
  if (!isStorableText(id))
    throw new Failure("event-unknown", "There is no webhook endpoint with the id in the address");
  return id;
}

function json(c: Context<Env>, value: object, status: 200 | 202 = 200): Response {
  return c.body(JSON.stringify(value), status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
}
