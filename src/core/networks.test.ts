import { expect, test } from "bun:test";
import { isNetwork, Networks } from "./networks.ts";

test("an address of a network is in it, in IPv4 and in IPv6, and nothing beside it", () => {
  const networks = new Networks(["127.0.0.1", "10.0.0.0/8", "::ffff:192.0.2.0/120", "2001:db8::/32"]);
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "10.255.255.255", "192.0.2.7", "2001:db8:ffff::1"]) {
    expect([address, networks.includes(address)]).toEqual([address, true]);
  }
  for (const address of ["127.0.0.2", "11.0.0.0", "192.0.3.1", "2001:db9::1", "0x7f.1", "", "localhost"]) {
    expect([address, networks.includes(address)]).toEqual([address, false]);
  }
});

test("what is no address or network is told apart", () => {
  for (const entry of ["10.0.0.0/8", "::1", "0.0.0.0/0"]) expect([entry, isNetwork(entry)]).toEqual([entry, true]);
  for (const entry of [
    "10.0.0.0/33",
    "10.0.0/8",
    "host",
    "10.0.0.0/",
    "::/129",
    "10.0.0.0/-1",
    "1.2.3.4/8/8",
    "0x7f.1",
    "010.0.0.1",
  ]) {
    expect([entry, isNetwork(entry)]).toEqual([entry, false]);
  }
});
