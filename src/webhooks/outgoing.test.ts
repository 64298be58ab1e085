import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { webhookSecret } from "#contract/webhook-signature.ts";
import { outgoing } from "./attempt.ts";

const NOW = Date.now();
const URL = "https://shop.example/hooks";
const [current, former] = [1, 2].map((byte) => webhookSecret(new Uint8Array(32).fill(byte))) as [string, string];
const event = { id: "evt_1", body: '{"id":"evt_1"}', at: NOW, traceparent: undefined };

function verifies(secret: string, { body, headers }: ReturnType<typeof outgoing>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

test("a webhook request is signed with the former secret too, until that one is over", () => {
  const secrets = [
    { secret: current, expiresAt: undefined },
    { secret: former, expiresAt: NOW + 1 },
  ];
  const during = outgoing({ url: URL, secrets }, event);
  expect(during).toMatchObject({ url: URL, body: event.body });
  expect([verifies(current, during), verifies(former, during)]).toEqual([true, true]);
  const after = outgoing({ url: URL, secrets }, { ...event, at: NOW + 1 });
  expect([verifies(current, after), verifies(former, after)]).toEqual([true, false]);
});
