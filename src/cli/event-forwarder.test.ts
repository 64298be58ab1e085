import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StreamedEvent } from "#client/event.ts";
import { serverHealth } from "#server/process/health.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";
import { Forwarder } from "./event-forwarder.ts";
import { UsageError } from "./report.ts";

const EVENT: StreamedEvent = {
  id: "evt_1",
  type: "plant.created",
  timestamp: new Date(0),
  version: "1.0.0",
  plantId: 1n,
  plant: undefined,
  test: false,
  cursor: "c1",
  json: '{"id":"evt_1","name":"木\\u2028"}',
};
const VARIABLES = ["HTTP_PROXY", "http_proxy"] as const;

const receiver = new WebhookReceiver();
let proxied = 0;
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    proxied++;
    return new Response(null, { status: 502 });
  },
});
const before = { ...process.env };
beforeAll(() => {
  for (const name of VARIABLES) process.env[name] = proxy.url.origin;
});
afterAll(async () => {
  for (const name of VARIABLES) delete process.env[name];
  Object.assign(process.env, before);
  await Promise.all([receiver.stop(), proxy.stop(true)]);
});

test("an event goes to the receiver as it was sent, signed, and to no proxy, which is another machine", async () => {
  const forwarder = new Forwarder("plant_secret", receiver.url);
  expect(await forwarder.forward(EVENT)).toEqual({ status: 204, ms: expect.any(Number) });
  expect(receiver.received.map(({ id, body }) => [id, body])).toEqual([["evt_1", EVENT.json]]);
  receiver.verify(forwarder.secret);
  expect(proxied).toBe(0);
});

test("an answer that leads elsewhere is not followed", async () => {
  using redirecting = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.redirect("http://127.0.0.1:1/elsewhere", 307),
  });
  expect((await new Forwarder("plant_secret", redirecting.url.href).forward(EVENT)).status).toBe(307);
});

test("a server of this machine is asked for its health without a proxy between", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ready") });
  const settings = { HOST: "127.0.0.1", PORT: String(server.port), DATABASE_URL: "sqlite:unused.db" };
  expect(await serverHealth(settings)).toEqual({ ready: true, url: `${server.url.origin}/readyz` });
  expect(proxied).toBe(0);
});

describe("events that are forwarded", () => {
  test.each(["http://127.0.0.1:4000/hooks", "http://localhost", "https://[::1]:8443/", "http://127.9.9.9/"])(
    "go to %s on this machine",
    (url) => {
      expect(new Forwarder("t", url).forwards).toBe(true);
    },
  );

  test.each([
    "http://shop.example/",
    "http://127.0.0.1.shop.example/",
    "http://localhost.shop.example/",
    "http://127.0.0.1@shop.example/",
    "http://[::2]/",
    "http://10.0.0.1/",
    "ftp://localhost/",
    "localhost:4000",
    "",
  ])("do not go to %j", (url) => {
    expect(() => new Forwarder("t", url)).toThrow(UsageError);
  });

  test("are signed with a secret that stays the same for a token, and is not the token", () => {
    const { secret } = new Forwarder("token of the test", undefined);
    expect(secret).toBe(new Forwarder("token of the test", undefined).secret);
    expect(secret).not.toBe(new Forwarder("another token", undefined).secret);
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toContain("token");
  });
});
