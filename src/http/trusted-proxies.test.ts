import { expect, test } from "bun:test";
import { isNetwork, TrustedProxies } from "./trusted-proxies.ts";

test("an address or a network is trusted, in IPv4 and in IPv6, and nothing beside it", () => {
  const proxies = new TrustedProxies(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]);
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "10.255.255.255", "2001:db8:ffff::1"]) {
    expect([address, proxies.includes(address)]).toEqual([address, true]);
  }
  for (const address of ["127.0.0.2", "11.0.0.0", "2001:db9::1", "", "localhost"]) {
    expect([address, proxies.includes(address)]).toEqual([address, false]);
  }
});

test("what is no address or network is told apart", () => {
  for (const entry of ["10.0.0.0/8", "::1", "0.0.0.0/0"]) expect([entry, isNetwork(entry)]).toEqual([entry, true]);
  for (const entry of ["10.0.0.0/33", "10.0.0/8", "host", "10.0.0.0/", "::/129", "10.0.0.0/-1", "1.2.3.4/8/8"]) {
    expect([entry, isNetwork(entry)]).toEqual([entry, false]);
  }
});
