import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "./webhook-signature.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const NOW = new Date("2026-11-21T16:12:30.000Z");
const TIME = "2026-11-21T16:12:29.885Z";
const BODY = `{"id":"evt_1","type":"plant.created","timestamp":"${TIME}","version":"1.0.0","data":{"plant_id":"9007199254740993","plant":{"id":9007199254740993,"name":"Ärger 🌿","created_at":"${TIME}","updated_at":"${TIME}"}}}`;

/** The headers that the reference library makes for a body, beside a signature of a later version. */
function signed(body = BODY, secret = SECRET, at = NOW) {
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": `v2,xyz ${new Webhook(secret).sign("evt_1", at, body)}`,
  };
}

function refused(call: Promise<unknown>) {
  return expect(call).rejects.toBeInstanceOf(WebhookVerificationError);
}

describe("a webhook request", () => {
  const options = { now: NOW.getTime() };

  test("that the reference library signed is accepted, and its event read exactly", async () => {
    const event = await verifyWebhook(BODY, signed(), SECRET, options);
    expect(event).toMatchObject({
      id: "evt_1",
      plantId: 9007199254740993n,
      plant: { id: 9007199254740993n, name: "Ärger 🌿" },
    });
    expect(await verifyWebhook(new TextEncoder().encode(BODY), new Headers(signed()), SECRET, options)).toEqual(event);
  });

  test("is refused if its body, id, time, signature or secret is another", async () => {
    await refused(verifyWebhook(BODY.replace("Ärger", "Anger"), signed(), SECRET, options));
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-id": "evt_2" }, SECRET, options));
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-timestamp": "1795277549" }, SECRET, options));
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-signature": "v1,AAAA" }, SECRET, options));
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-signature": "v1,*" }, SECRET, options));
    await refused(verifyWebhook(BODY, signed(), OTHER, options));
  });

  test("is refused without one of the headers, and when its time is far from now", async () => {
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-signature": undefined }, SECRET, options));
    await refused(verifyWebhook(BODY, signed(), SECRET, { now: NOW.getTime() + 301_000 }));
    await refused(verifyWebhook(BODY, signed(), SECRET, { now: NOW.getTime() - 301_000 }));
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-timestamp": "soon" }, SECRET, options));
    await verifyWebhook(BODY, signed(), SECRET, { now: NOW.getTime() + 301_000, toleranceMs: 302_000 });
  });

  test("that tells of events to read has their cursor", async () => {
    const body = `{"id":"evt_2","type":"events.available","timestamp":"${TIME}","version":"1.0.0","data":{"cursor":"c9"}}`;
    expect(await verifyWebhook(body, signed(body), SECRET, options)).toMatchObject({ cursor: "c9" });
  });

  test("is not checked with a secret that is none: a TypeError that does not repeat it", async () => {
    const wrong = verifyWebhook(BODY, signed(), "whsec_not base64!", options);
    await expect(wrong).rejects.toThrow(TypeError);
    await expect(wrong).rejects.not.toThrow("not base64!");
  });
});
