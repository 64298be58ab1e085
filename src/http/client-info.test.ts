import { expect, test } from "bun:test";
import { clientInfo } from "./client-info.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

interface Sent {
  readonly peer: string | undefined;
  readonly headers?: Record<string, string>;
  readonly baseUrl?: string;
}

const proxies = new TrustedProxies(["10.0.0.0/8", "fd00::/8"]);

function seen({ peer, headers = {}, baseUrl }: Sent) {
  const clientInfoOf = clientInfo({ baseUrl, proxies, peer: () => peer });
  const { origin, address } = clientInfoOf(new Request("http://127.0.0.1:3000/dashboard", { headers }));
  return { origin, address };
}

const FORWARDED = { "X-Forwarded-For": "192.0.2.1, 203.0.113.9, 10.1.1.1", "X-Forwarded-Proto": "https" };

test("the client is the first address from the right that is no trusted proxy", () => {
  expect(seen({ peer: "10.0.0.2", headers: FORWARDED }).address).toBe("203.0.113.9");
  expect(seen({ peer: "fd12::2", headers: { "X-Forwarded-For": "2001:db8::7" } }).address).toBe("2001:db8::7");
  expect(seen({ peer: "::ffff:10.0.0.2", headers: FORWARDED }).address).toBe("203.0.113.9");
});

test("an entry that is no address ends the walk at the one before it", () => {
  expect(seen({ peer: "10.0.0.2", headers: { "X-Forwarded-For": "203.0.113.9, unknown" } }).address).toBe("10.0.0.2");
  expect(seen({ peer: "10.0.0.2" }).address).toBe("10.0.0.2");
});

test("the public origin is BASE_URL's, else what a trusted proxy says, else the request's own", () => {
  const headers = { ...FORWARDED, "X-Forwarded-Host": "plants.example" };
  expect(seen({ peer: "10.0.0.2", headers })).toMatchObject({ origin: "https://plants.example" });
  expect(seen({ peer: "10.0.0.2", headers, baseUrl: "https://shop.example/" }).origin).toBe("https://shop.example");
  expect(seen({ peer: undefined }).origin).toBe("http://127.0.0.1:3000");
});

test("a scheme or host that is malformed is not taken over", () => {
  for (const [name, value] of Object.entries({ "X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "a b/@" })) {
    expect(seen({ peer: "10.0.0.2", headers: { ...FORWARDED, [name]: value } }).origin).toBe("http://127.0.0.1:3000");
  }
});
