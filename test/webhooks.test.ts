import { afterAll, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { describeService } from "#test/support/describe-services.ts";
import { eventuallyPasses } from "#test/support/eventually.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

const SCOPES = ["plants:read", "plants:write", "webhooks:manage"] as const;

describeService("webhooks", { WEBHOOK_NETWORKS: "127.0.0.0/8" }, (service) => {
  const receivers: WebhookReceiver[] = [];
  afterAll(async () => {
    for (const receiver of receivers) await receiver.stop();
  });

  const call = (token: string, method: string, path: string, body?: unknown) =>
    service.send(method, `/v1${path}`, { as: token, body });
  const ask = async (token: string, method: string, path: string, body?: unknown) =>
    (await call(token, method, path, body)).json();
  const create = (token: string, id: number) => call(token, "POST", "/plants", { id, name: `plant ${id}` });
  const newReceiver = () => {
    const receiver = new WebhookReceiver();
    receivers.push(receiver);
    return receiver;
  };

  async function withEndpoint(more: object = {}) {
    const token = await service.token({ scopes: SCOPES });
    const receiver = newReceiver();
    const endpoint = await ask(token, "POST", "/webhooks", { url: receiver.url, ...more });
    return { token, receiver, endpoint, path: `/webhooks/${endpoint.id}` };
  }

  test.concurrent("every change of a plant is delivered, signed as Standard Webhooks says, under the id of its event", async () => {
    const { token, receiver, endpoint, path } = await withEndpoint();
    expect(endpoint).toMatchObject({ status: "enabled", delivery: "each", version: "1.0.0" });
    expect(endpoint.secret).toStartWith("whsec_");
    await create(token, 1);
    await call(token, "PATCH", "/plants/1", { name: "Fern" });
    await call(token, "DELETE", "/plants/1");
    await eventuallyPasses(() => expect(receiver.received.length).toBe(3));
    receiver.verify(endpoint.secret);
    const { data } = await ask(token, "GET", "/events");
    expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(
      data.map(({ id }: { id: string }) => id).toSorted(),
    );
    for (const { id, body } of receiver.received) {
      expect(body).toBe(await (await call(token, "GET", `/events/${id}`)).text());
    }
    await eventuallyPasses(async () => {
      const log = await ask(token, "GET", `${path}/deliveries`);
      expect(log.data.map(({ status, http_status }: never) => [status, http_status])).toEqual(
        Array.from({ length: 3 }, () => ["succeeded", 204]),
      );
    });
    await eventuallyPasses(async () => expect((await ask(token, "GET", path)).lag_seconds).toBe(0));
    expect(JSON.stringify(await ask(token, "GET", "/webhooks"))).not.toContain(
      "whsec_".concat(endpoint.secret.slice(6, 20)),
    );
  });

  test.concurrent("a receiver that comes back gets everything, and the log tells of each attempt", async () => {
    const { token, receiver, path } = await withEndpoint();
    const began = Date.now();
    receiver.status = 500;
    await create(token, 1);
    await create(token, 2);
    await eventuallyPasses(async () => {
      const { data } = await ask(token, "GET", `${path}/deliveries?status=waiting`);
      expect(data.length).toBe(2);
      expect(data[0]).toMatchObject({ http_status: 500, error: "http_status", response_excerpt: "an answer" });
      expect(Date.parse(data[0].next_at)).toBeGreaterThan(began);
    });
    receiver.status = 204;
    await eventuallyPasses(async () => {
      const { data } = await ask(token, "GET", `${path}/deliveries`);
      const first = data.filter(({ attempt }: { attempt: number }) => attempt === 1);
      const statuses: string[] = data.map(({ status }: { status: string }) => status).toSorted();
      expect(first.length).toBe(2);
      // A retry that came before the receiver was back has failed too.
      const failed = Array.from({ length: receiver.received.length - 2 }, () => "failed");
      expect(statuses).toEqual([...failed, "succeeded", "succeeded"]);
    });
  });

  test.concurrent("a disabled endpoint gets nothing, and goes on where it stopped, or from now on", async () => {
    const { token, receiver, path } = await withEndpoint();
    expect(await ask(token, "PATCH", path, { enabled: false })).toMatchObject({
      status: "disabled",
      reason: "by_hand",
    });
    await create(token, 1);
    await eventuallyPasses(async () => expect((await ask(token, "GET", path)).lag_seconds).toBeGreaterThan(0));
    expect(receiver.received).toEqual([]);
    await ask(token, "PATCH", path, { enabled: true, resume: "where_it_stopped" });
    await eventuallyPasses(() => expect(receiver.plants).toEqual(["1"]));
    await ask(token, "PATCH", path, { enabled: false });
    await create(token, 2);
    await ask(token, "PATCH", path, { enabled: true, resume: "now" });
    await create(token, 3);
    await eventuallyPasses(() => expect(receiver.plants).toEqual(["1", "3"]));
  });

  test.concurrent("an endpoint that its receiver holds back is sent everything once it is enabled, or forgets it on request", async () => {
    const { token, receiver, path } = await withEndpoint();
    const waiting = async () => (await ask(token, "GET", `${path}/deliveries?status=waiting`)).data.length;
    receiver.status = 503;
    receiver.headers = { "Retry-After": "3600" };
    await create(token, 1);
    await eventuallyPasses(async () => expect(await waiting()).toBe(1));
    receiver.status = 204;
    await ask(token, "PATCH", path, { enabled: true });
    await eventuallyPasses(() => expect(receiver.plants.length + receiver.received.length).toBe(1 + 2));
    await eventuallyPasses(async () => expect(await waiting()).toBe(0));
    receiver.status = 429;
    await create(token, 2);
    await eventuallyPasses(async () => expect(await waiting()).toBe(1));
    receiver.status = 204;
    await ask(token, "PATCH", path, { resume: "now" });
    expect(await waiting()).toBe(0);
    await create(token, 3);
    await eventuallyPasses(() => expect(receiver.plants).toEqual(["1", "2", "3"]));
    expect(receiver.received.length).toBe(4);
  });

  test.concurrent("the account's log of acts says who added, changed, rolled, disabled and removed an endpoint", async () => {
    const { token, path, receiver, endpoint } = await withEndpoint();
    await ask(token, "PATCH", path, { description: "the shop", url: receiver.url });
    await ask(token, "POST", `${path}/secret`);
    receiver.status = 410;
    await create(token, 1);
    await eventuallyPasses(async () =>
      expect(await ask(token, "GET", path)).toMatchObject({ status: "disabled", reason: "gone" }),
    );
    await call(token, "DELETE", path);
    const storage = await openStorage(service.environment.DATABASE_URL as string);
    const of = await storage.db
      .selectFrom("audit_entries")
      .select("account")
      .where("target", "=", endpoint.id)
      .execute();
    const entries = (await storage.reads.audit.list(Number(of[0]?.account), { limit: 100 })).found;
    await storage.records.close();
    const about = entries.filter(({ target }) => target === endpoint.id).toReversed();
    expect(about.map(({ action, actor, detail }) => [action, actor.kind, detail])).toEqual([
      ["webhook.created", "token", { url: receiver.url }],
      ["webhook.changed", "token", { url: receiver.url, changed: "description" }],
      ["webhook.secret_rolled", "token", { url: receiver.url }],
      ["webhook.disabled", "system", { url: receiver.url, reason: "gone" }],
      ["webhook.removed", "token", { url: receiver.url }],
    ]);
    expect(JSON.stringify(about)).not.toContain(endpoint.secret);
  });

  test("a service that is killed delivers everything at once after its restart, and loses nothing", async () => {
    const { token, receiver } = await withEndpoint();
    const made: string[] = [];
    for (let id = 0; id < 60; id++) {
      await create(token, id);
      made.push(`${id}`);
    }
    await service.kill();
    Object.assign(service, await service.restart());
    await create(token, 60);
    // Its own lease would end after 30 s.
    await eventuallyPasses(() => expect(receiver.plants.toSorted()).toEqual([...made, "60"].toSorted()), 15_000);
  });
});
