import { describe, expect, test } from "bun:test";
import { refusedWith, scriptedService } from "#test/support/scripted-service.ts";
import { PlantstoreClient } from "./plantstore-client.ts";
import type { WebhooksClient } from "./webhooks.ts";

const TIME = "2026-11-21T08:00:00.000Z";
const ENDPOINT = {
  id: "we_1",
  url: "https://shop.example.com/plants",
  events: ["plant.created"],
  description: "shop_name",
  delivery: "each",
  version: "1.0.0",
  status: "paused",
  reason: "failing",
  failing_since: TIME,
  lag_seconds: 1.5,
  position: "c1",
  secrets: [{ hint: "whsec_ab…yz=", created_at: TIME, expires_at: TIME }],
  created_at: TIME,
  updated_at: TIME,
};
const DELIVERY = {
  id: "del_1",
  event: "evt_1",
  type: "plant.created",
  attempt: 2,
  status: "waiting",
  http_status: 500,
  ms: 12,
  at: TIME,
  next_at: TIME,
  response_excerpt: "created_at stays as it is",
};

function webhooksOf({ url }: { readonly url: string }): WebhooksClient {
  return new PlantstoreClient({ url, token: "plant_secret" }).webhooks;
}

describe("an endpoint", () => {
  test("has its members in camel case and its times as dates, and its texts as they are", async () => {
    using service = scriptedService(Response.json(ENDPOINT));
    const { failing_since, lag_seconds, created_at, updated_at, ...same } = ENDPOINT;
    expect<unknown>(await webhooksOf(service).get("we_1")).toEqual({
      ...same,
      failingSince: new Date(TIME),
      lagSeconds: 1.5,
      secrets: [{ hint: "whsec_ab…yz=", createdAt: new Date(TIME), expiresAt: new Date(TIME) }],
      createdAt: new Date(TIME),
      updatedAt: new Date(TIME),
    });
  });

  test("is asked for by its id alone, whatever characters that has", async () => {
    using service = scriptedService(Response.json(ENDPOINT));
    await webhooksOf(service).get("we_1/../../plants?x#y");
    expect(service.requests.map(({ address }) => address)).toEqual(["/v1/webhooks/we_1%2F..%2F..%2Fplants%3Fx%23y"]);
  });

  test("is made, changed, rolled, tested and replayed with what was given and nothing else", async () => {
    using service = scriptedService(
      Response.json({ ...ENDPOINT, secret: "whsec_new" }),
      Response.json(ENDPOINT),
      Response.json({ ...ENDPOINT, secret: "whsec_next" }),
      Response.json(DELIVERY),
      Response.json({ replay: "rep_1" }, { status: 202 }),
      new Response(null, { status: 204 }),
    );
    const webhooks = webhooksOf(service);
    expect((await webhooks.create({ url: ENDPOINT.url, events: undefined })).secret).toBe("whsec_new");
    await webhooks.change("we_1", { enabled: true, resume: "now", description: undefined });
    expect((await webhooks.rollSecret("we_1")).secret).toBe("whsec_next");
    await webhooks.test("we_1", "plant.removed");
    expect(await webhooks.replay("we_1", { events: ["evt_1"] })).toBe("rep_1");
    expect(await webhooks.remove("we_1")).toBeUndefined();
    expect(service.requests.map(({ method, address, body }) => [method, address, body])).toEqual([
      ["POST", "/v1/webhooks", `{"url":"${ENDPOINT.url}"}`],
      ["PATCH", "/v1/webhooks/we_1", '{"enabled":true,"resume":"now"}'],
      ["POST", "/v1/webhooks/we_1/secret", "{}"],
      ["POST", "/v1/webhooks/we_1/test", '{"type":"plant.removed"}'],
      ["POST", "/v1/webhooks/we_1/replay", '{"events":["evt_1"]}'],
      ["DELETE", "/v1/webhooks/we_1", ""],
    ]);
  });
});

describe("what answers but is no Plantstore", () => {
  const CALLS: readonly (readonly [string, (webhooks: WebhooksClient) => Promise<unknown>])[] = [
    ["create", (webhooks) => webhooks.create({ url: ENDPOINT.url })],
    ["list", (webhooks) => webhooks.list()],
    ["get", (webhooks) => webhooks.get("we_1")],
    ["change", (webhooks) => webhooks.change("we_1", {})],
    ["remove", (webhooks) => webhooks.remove("we_1")],
    ["rollSecret", (webhooks) => webhooks.rollSecret("we_1")],
    ["test", (webhooks) => webhooks.test("we_1")],
    ["replay", (webhooks) => webhooks.replay("we_1", { events: ["evt_1"] })],
    ["deliveries", (webhooks) => webhooks.deliveries("we_1")],
  ];

  test.each(CALLS)("is named by `%s`, whatever it says", async (_, call) => {
    for (const body of ["{}", "[]", "null", "7", "<html>Sign in</html>", '{"data":7}', '{"data":[7]}']) {
      const { webhooks } = new PlantstoreClient({
        url: "http://127.0.0.1",
        token: "t",
        fetch: async () => new Response(body),
      });
      await expect(call(webhooks), body).rejects.toMatchObject({ name: "PlantstoreUnreachable", reason: "answer" });
    }
  });
});

test("a call that does something is sent once where nobody knows what became of it; one that reads is sent again", async () => {
  using lost = scriptedService(new Response("", { status: 504 }), Response.json(ENDPOINT));
  await expect(webhooksOf(lost).change("we_1", { enabled: true })).rejects.toMatchObject({ reason: "gateway" });
  expect(lost.requests).toHaveLength(1);
  using read = scriptedService(new Response("", { status: 504 }), Response.json(ENDPOINT));
  expect((await webhooksOf(read).get("we_1")).id).toBe("we_1");
  using busy = scriptedService(refusedWith(50301), Response.json(ENDPOINT));
  expect((await webhooksOf(busy).change("we_1", { enabled: true })).id).toBe("we_1");
});
