import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { webhookSecret } from "#contract/webhook-signature.ts";
import { outgoing } from "./held-endpoint.ts";

const NOW = Date.now();
const URL = "https://shop.example/hooks";
const [current, former] = [1, 2].map((byte) => webhookSecret(new Uint8Array(32).fill(byte))) as [string, string];
const event = { id: "evt_1", body: '{"id":"evt_1"}', now: NOW, traceparent: undefined };

function verifies(secret: string, { body, headers }: ReturnType<typeof outgoing>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe("a webhook request", () => {
  test("is signed as Standard Webhooks has it", () => {
    const request = outgoing({ url: URL, secrets: [{ secret: current, expiresAt: undefined }] }, event);
    expect(request).toMatchObject({ url: URL, body: event.body });
    expect([verifies(current, request), verifies(former, request)]).toEqual([true, false]);
  });

  test("is signed with the former secret too, until that one is over", () => {
    const secrets = (expiresAt: number) => [
      { secret: current, expiresAt: undefined },
      { secret: former, expiresAt },
    ];
    const during = outgoing({ url: URL, secrets: secrets(NOW + 1) }, event);
    expect([verifies(current, during), verifies(former, during)]).toEqual([true, true]);
    const after = outgoing({ url: URL, secrets: secrets(NOW) }, event);
    expect([verifies(current, after), verifies(former, after)]).toEqual([true, false]);
  });

  test("of which one character was altered does not verify", () => {
    const request = outgoing({ url: URL, secrets: [{ secret: current, expiresAt: undefined }] }, event);
    expect(verifies(current, { ...request, body: event.body.replace("1", "2") })).toBe(false);
    const headers = { ...request.headers, "webhook-id": "evt_2" };
    expect(verifies(current, { ...request, headers })).toBe(false);
  });

  test("carries the trace of its event, and no such header without one", () => {
    const endpoint = { url: URL, secrets: [{ secret: current, expiresAt: undefined }] };
    expect(outgoing(endpoint, event).headers).not.toHaveProperty("traceparent");
    expect(outgoing(endpoint, { ...event, traceparent: "00-a-b-01" }).headers).toMatchObject({
      traceparent: "00-a-b-01",
    });
  });
});
