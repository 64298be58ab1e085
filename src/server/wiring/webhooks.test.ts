import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { NO_OBSERVER } from "#core/observer.ts";
import { testCaller } from "#test/support/audit.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";
import { readSettings } from "../settings.ts";
import { openReading } from "../threads/reading.ts";
import { openWebhooks } from "./webhooks.ts";

const SECRET = "a secret of at least thirty-two characters";

const opened = await openTestRecords("sqlite");
const { storage, url } = opened;
let receiver: WebhookReceiver;
const ends: (() => unknown)[] = [];
beforeEach(() => {
  receiver = new WebhookReceiver();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await receiver.stop();
});
afterAll(() => opened.end());

/** The webhooks of a node over the database, with these settings. */
function node(environment: Record<string, string> = {}, given = {}) {
  const settings = {
    ...readSettings({ DATABASE_URL: url, WEBHOOK_NETWORKS: "127.0.0.0/8", ...environment }),
    ...given,
  };
  const reading = openReading(settings, storage, NO_OBSERVER);
  const { reads } = reading;
  ends.push(() => reading[Symbol.dispose]());
  const webhooks = openWebhooks(settings, storage, NO_OBSERVER, reads);
  ends.push(() => webhooks.delivery?.job.finish?.());
  return webhooks;
}

async function endpointOf({ service }: ReturnType<typeof node>) {
  const account = await opened.account();
  const webhook = { types: undefined, version: "1.0.0", description: "", delivery: "each", from: undefined } as const;
  const made = await service?.create(testCaller(account), { ...webhook, url: receiver.url });
  if (!made) throw new Error("There are no webhooks");
  return { account, id: made.endpoint.id, secret: made.secret };
}

test.each<Record<string, string>>([{ WEBHOOKS: "off" }, { EVENTS_KEPT: "0" }])(
  "webhooks are not there with %j: no service and no job",
  (off) => {
    expect(node(off)).toEqual({ jobs: [], sinks: [] });
  },
);

describe("the secret of an endpoint", () => {
  test.each([
    ["without SECRET, by one that is made once and kept", {}],
    ["with SECRET", { SECRET }],
  ])("is read by every node and after a restart %s", async (_, environment) => {
    const [first, second] = [node(environment), node(environment)];
    const { account, id, secret } = await endpointOf(first);
    const delivery = await second.service?.test({ account }, id, "plant.created");
    expect(delivery?.status).toBe("succeeded");
    receiver.verify(secret);
  });

  test("that was sealed with the line break of SECRET's file is read by a release that takes it off", async () => {
    const earlier = node({ SECRET }, { SECRET: `${SECRET}\n` });
    const { account, id, secret } = await endpointOf(earlier);
    const later = node({ SECRET: `${SECRET}\n` });
    expect((await later.service?.test({ account }, id, "plant.created"))?.status).toBe("succeeded");
    receiver.verify(secret);
    const own = await endpointOf(later);
    const delivery = await node({ SECRET }).service?.test({ account: own.account }, own.id, "plant.created");
    expect(delivery?.status).toBe("succeeded");
  });

  test("is not read with another SECRET", async () => {
    const { account, id } = await endpointOf(node({ SECRET }));
    const other = node({ SECRET: `${SECRET}, but another` });
    await expect((async () => other.service?.test({ account }, id, "plant.created"))()).rejects.toThrow();
    expect(receiver.received).toEqual([]);
  });

  test("is in the database neither as it is nor in base64", async () => {
    const { secret } = await endpointOf(node());
    const rows = JSON.stringify(await storage.db.selectFrom("webhook_secrets").selectAll().execute());
    const bare = secret.slice("whsec_".length);
    for (const form of [bare, Buffer.from(secret).toString("base64"), Buffer.from(bare, "base64").toString("hex")]) {
      expect(rows).not.toContain(form);
    }
  });
});
