import { expect, test } from "bun:test";
import { clientInfo } from "./client-info.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

interface Sent {
  readonly peer: string | undefined;
  readonly headers?: Record<string, string>;
  readonly proxies?: readonly string[];
  readonly baseUrl?: string;
}

function seen({ peer, headers = {}, proxies = ["10.0.0.0/8", "fd00::/8"], baseUrl }: Sent) {
  const clientInfoOf = clientInfo({ baseUrl, proxies: new TrustedProxies(proxies), peer: () => peer });
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

test("a peer that is no trusted proxy is the client, whatever it forwards", () => {
  const direct = { origin: "http://127.0.0.1:3000", address: "192.0.2.50" };
  expect(seen({ peer: "192.0.2.50", headers: { ...FORWARDED, "X-Forwarded-Host": "evil.example" } })).toEqual(direct);
  expect(seen({ peer: "10.0.0.2", headers: FORWARDED, proxies: [] }).address).toBe("10.0.0.2");
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
