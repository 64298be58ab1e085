import { afterAll, describe, expect, test } from "bun:test";
import type { Webhook } from "#contract/v1/webhooks.ts";
import { withServedApp } from "#test/support/served-app.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

type Endpoint = Webhook & { readonly secret: string };

const service = withServedApp({ WEBHOOK_NETWORKS: "127.0.0.1" });
const receiver = new WebhookReceiver();
afterAll(() => receiver.stop());

const add = (...options: string[]) => service.json<Endpoint>("webhooks", "add", receiver.url, ...options);

describe("`webhooks add`", () => {
  test("prints the secret alone on standard output, and says on standard error that it is shown this once", async () => {
    const { code, out, problem } = await service.run("webhooks", "add", receiver.url);
    expect([code, out]).toEqual([0, expect.stringMatching(/^whsec_[\w+/=]{44}\n$/)]);
    expect(problem).toMatch(/^we_\w+ is told of what happens from now on\. Its secret is shown this once:\n$/);
  });

  test("fails with the service's sentence and number for an address that may not be called", async () => {
    const { code, out, problem } = await service.run("webhooks", "add", "http://10.0.0.1/hook");
    expect([code, out]).toEqual([1, ""]);
    expect(problem).toMatch(/^plantstore: .*\(40003, request req_\w+\)\n$/);
  });
});

describe("an endpoint", () => {
  test("is listed without its secret, each on one line, with what it is for made harmless for a terminal", async () => {
    const { id, secret } = await add("--description", "\u001b[2Jshop\nof 木");
    const { out } = await service.run("webhooks", "list");
    expect(out).toBe(`${id}  enabled  0 s  each  ${receiver.url}  \\u001b[2Jshop\\nof 木\n`);
    expect(out).not.toContain(secret);
    expect(await service.json<Endpoint[]>("webhooks", "list")).toMatchObject([
      { id, description: "\u001b[2Jshop\nof 木" },
    ]);
  });

  test("is changed, disabled and enabled, and shown as it is then", async () => {
    const { id } = await add();
    expect((await service.run("webhooks", "edit", id, "--disable")).out).toStartWith(`${id}  disabled (by_hand)  `);
    const enabled = await service.json<Endpoint>("webhooks", "edit", id, "--enable", "--resume", "now");
    expect(enabled.status).toBe("enabled");
    const changed = await service.json<Endpoint>("webhooks", "edit", id, "--type", "plant.created", "plant.changed");
    expect(changed.events).toEqual(["plant.created", "plant.changed"]);
  });

  test("is removed once", async () => {
    const { id } = await add();
    expect(await service.run("webhooks", "remove", id)).toEqual({ code: 0, out: `${id} is removed\n`, problem: "" });
    expect(await service.run("webhooks", "remove", id)).toMatchObject({
      code: 1,
      problem: expect.stringContaining("40404"),
    });
    expect(await service.json<Endpoint[]>("webhooks", "list")).toEqual([]);
  });

  test("gets a new secret, printed alone; with an overlap of 0 the one before is over", async () => {
    const { id, secret } = await add();
    const rolled = await service.run("webhooks", "roll", id);
    expect([rolled.code, rolled.problem]).toEqual([0, ""]);
    expect(rolled.out).toMatch(/^whsec_\S+\n$/);
    expect(rolled.out.trim()).not.toBe(secret);
    expect((await service.json<Endpoint>("webhooks", "roll", id, "--overlap", "0")).secrets).toHaveLength(1);
  });

  test("is tested with a test event; a receiver that refuses it makes the command fail", async () => {
    const { id } = await add();
    const sent = await service.run("webhooks", "test", id, "plant.removed");
    expect([sent.code, sent.out]).toEqual([
      0,
      expect.stringMatching(/Z {2}succeeded {2}204 .* plant\.removed {2}evt_test_/),
    ]);
    receiver.status = 500;
    const refused = await service.run("webhooks", "test", id);
    receiver.status = 204;
    expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/ failed {2}500 /)]);
  });

  test("replays single events, and begins with a position", async () => {
    await service.run("plants", "add", "1", "Aloe");
    const { data } = await service.json<{ data: { id: string }[] }>("events", "list");
    const [event] = data;
    const { id } = await add();
    const one = await service.run("webhooks", "replay", id, "--event", event?.id ?? "");
    expect([one.code, one.out]).toEqual([0, expect.stringMatching(/^\S+ has begun\n$/)]);
    const all = await service.json<{ replay: string }>("webhooks", "replay", id, "--from", event?.id ?? "", "--failed");
    expect(all.replay).not.toBe("");
  });
});
