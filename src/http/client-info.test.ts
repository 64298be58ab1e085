import { beforeEach, expect, test } from "bun:test";
import { Networks } from "#core/networks.ts";
import { clientInfo } from "./client-info.ts";

interface Sent {
  readonly peer: string | undefined;
  readonly headers?: Record<string, string>;
  readonly baseUrl?: string;
}

const proxies = new Networks(["10.0.0.0/8", "fd00::/8"]);
let lines: string[];
beforeEach(() => {
  lines = [];
});

function seen({ peer, headers = {}, baseUrl }: Sent) {
  const log = { warn: (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`) };
  const clientInfoOf = clientInfo({ baseUrl, proxies, log, peer: () => peer });
  const ask = () => clientInfoOf(new Request("http://127.0.0.1:3000/dashboard", { headers }));
  const { origin, address } = ask();
  ask();
  return { origin, address };
}

const FORWARDED = { "X-Forwarded-For": "192.0.2.1, 203.0.113.9, 10.1.1.1", "X-Forwarded-Proto": "https" };

test("the client is the first address from the right that is no trusted proxy", () => {
  expect(seen({ peer: "10.0.0.2", headers: FORWARDED }).address).toBe("203.0.113.9");
  expect(seen({ peer: "fd12::2", headers: { "X-Forwarded-For": "2001:db8::7" } }).address).toBe("2001:db8::7");
  expect(seen({ peer: "::ffff:10.0.0.2", headers: FORWARDED }).address).toBe("203.0.113.9");
});

test.each([
  ["203.0.113.9:51234", "203.0.113.9"],
  ["[2001:db8::7]:51234", "2001:db8::7"],
  ["[2001:db8::7]", "2001:db8::7"],
  ['"203.0.113.9"', "203.0.113.9"],
  ['"[2001:db8::7]:443"', "2001:db8::7"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["::FFFF:cb00:7109", "203.0.113.9"],
  ["[::ffff:203.0.113.9]:80", "203.0.113.9"],
  ["203.0.113.9:51234, 10.1.1.1:80", "203.0.113.9"],
  ["203.0.113.9, [fd00::1]:80, ", "203.0.113.9"],
])("X-Forwarded-For %j counts by its address alone", (forwarded, address) => {
  expect(seen({ peer: "10.0.0.2", headers: { "X-Forwarded-For": forwarded } })).toMatchObject({ address });
  expect(lines).toEqual([]);
});

test("a connection whose IPv4 address is shown as one of IPv6 counts by the former", () => {
  expect([seen({ peer: "::ffff:192.0.2.7" }).address, seen({ peer: "::1" }).address]).toEqual(["192.0.2.7", "::1"]);
});

test("the headers of a peer that is no trusted proxy are dropped, in one line a day that names TRUSTED_PROXIES", () => {
  expect(seen({ peer: "192.0.2.7", headers: FORWARDED }).address).toBe("192.0.2.7");
  expect(lines).toEqual([expect.stringMatching(/^The forwarded headers of 192\.0\.2\.7 are dropped.*TRUSTED_PROXIES/)]);
  lines = [];
  seen({ peer: "192.0.2.7" });
  seen({ peer: "10.0.0.2", headers: FORWARDED });
  expect(lines).toEqual([]);
});

test("an entry that is no address is one line of the log in an hour, without control characters", () => {
  for (const entry of ["unknown", "_hidden", "1.2.3.4.5", "300.1.1.1:80", "[10.0.0.1]", "0x7f.1", "203.0.113.9:x"]) {
    lines = [];
    expect(seen({ peer: "10.0.0.2", headers: { "X-Forwarded-For": `${entry}, 10.0.0.3` } }).address).toBe("10.0.0.3");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`an entry that is no address`);
    expect(lines[0]).toContain(JSON.stringify(entry));
  }
});

test("of a header as long as can be, only the last 32 proxies are read", () => {
  const chain = (length: number) => `203.0.113.9${", 10.0.0.3".repeat(length)}`;
  const client = (length: number) => seen({ peer: "10.0.0.2", headers: { "X-Forwarded-For": chain(length) } }).address;
  expect([client(31), client(32)]).toEqual(["203.0.113.9", "10.0.0.3"]);
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
