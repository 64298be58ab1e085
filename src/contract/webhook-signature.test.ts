import { expect, test } from "bun:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { signedHeaders, webhookSecret } from "./webhook-signature.ts";

const newSecret = () => webhookSecret(crypto.getRandomValues(new Uint8Array(32)));
const now = () => Math.floor(Date.now() / 1000);

test("any body is accepted by the library of Standard Webhooks, under each of two secrets", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const body = JSON.stringify({ text });
      const [first, second] = [newSecret(), newSecret()];
      const headers = signedHeaders([first, second], { id: "evt_1", timestamp: now(), body });
      for (const secret of [first, second]) expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
    }),
    { numRuns: 20 },
  );
});

test("another secret, another body and an old timestamp are refused by it", () => {
  const secret = newSecret();
  const body = '{"a":1}';
  const headers = signedHeaders([secret], { id: "evt_1", timestamp: now(), body });
  expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
  expect(() => new Webhook(secret).verify('{"a": 1}', headers)).toThrow();
  const old = signedHeaders([secret], { id: "evt_1", timestamp: now() - 3600, body });
  expect(() => new Webhook(secret).verify(body, old)).toThrow();
});
