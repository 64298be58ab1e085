import { expect, test } from "bun:test";
import { excerptOf, loggedAddress, loggedPath } from "./logged-request.ts";

const TOKEN = `plant_${"a1B2c3".repeat(6)}`;

test("of a query the known parameters are kept", () => {
  expect(loggedPath("/v1/plants", "limit=5&access_token=abc&q=fern&code=1")).toBe("/v1/plants?limit=5&q=fern");
  expect(loggedPath(`/v1/plants/${TOKEN}`, `q=${TOKEN}`)).toBe("/v1/plants/plant_…?q=plant_…");
  expect(loggedPath("/v1/plants", "")).toBe("/v1/plants");
});

test("an address is kept whole, as its network, or not at all", () => {
  expect(loggedAddress("192.0.2.17", "full")).toBe("192.0.2.17");
  expect(loggedAddress("192.0.2.17", "network")).toBe("192.0.2.0/24");
  expect(loggedAddress("2001:db8:1:2::7", "network")).toBe("2001:db8:1::/48");
  expect(loggedAddress("192.0.2.17", "off")).toBeUndefined();
});

test.each([
  ["2001:db8::17", "2001:db8:0::/48"],
  ["2001::1:2:3:4", "2001:0:0::/48"],
  ["::1", "0:0:0::/48"],
  ["fe80::aaaa:bbbb%eth0", "fe80:0:0::/48"],
  ["::ffff:192.0.2.17", "192.0.2.0/24"],
])("the network of %s is %s, however the address is shortened, and shows nothing of the host", (address, network) => {
  expect(loggedAddress(address, "network")).toBe(network);
});

test("what is no address is not kept as its network", () => {
  expect(loggedAddress("a host", "network")).toBeUndefined();
});

test("an excerpt ends after a KiB, and a token at its end is masked although it is cut", () => {
  expect(Buffer.byteLength(excerptOf("ü".repeat(2000)))).toBeLessThanOrEqual(1024);
  expect(excerptOf("x".repeat(1010) + TOKEN)).toBe(`${"x".repeat(1010)}plant_…`);
});
