import { describe, expect, jest, test } from "bun:test";
import { getServers, setServers } from "node:dns";
import { startNameServer } from "#test/support/name-server.ts";
import { AllowedNetworks, problemOfHost, problemOfUrl, resolveTarget, systemLookup } from "./address.ts";

const none = new AllowedNetworks([]);
const loopback = new AllowedNetworks(["127.0.0.0/8", "::1"]);

describe("the address of an endpoint", () => {
  test.each([
    "https://example.com/hook",
    "https://example.com:8443/hook?x=1",
    "https://93.184.216.34/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
  ])("may be %s", (url) => expect(problemOfUrl(url, none)).toBeUndefined());

  test.each([
    "http://example.com/",
    "ftp://example.com/",
    "https://user:password@example.com/",
    "https://example.com/#part",
    "https://example.com/#",
    "https://example.com:22/",
    "https://example.com:1023/",
    "nonsense",
    "https://127.0.0.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://①②⑦.⓪.⓪.①/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://255.255.255.255/",
    "https://224.0.0.1/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[ff02::1]/",
    "https://[::127.0.0.1]/",
    "https://[::808:808]/",
    "https://[1::1]/",
    "https://[4000::1]/",
    "https://[fec0::1]/",
  ])("may not be %s", (url) => expect(problemOfUrl(url, none)).toBeString());

  test("may be private, and http, inside the networks of the setting alone", () => {
    expect(problemOfUrl("http://127.0.0.1:4000/", loopback)).toBeUndefined();
    expect(problemOfUrl("http://[::1]:4000/", loopback)).toBeUndefined();
    expect(problemOfUrl("https://10.0.0.1/", loopback)).toBeString();
    expect(problemOfUrl("http://93.184.216.34/", loopback)).toBe("must be an https address");
  });
});

test("one's own machine is told how its events are received", () => {
  for (const url of ["http://localhost:3000/hook", "http://127.0.0.1/", "https://[::1]/", "https://127.0.0.1/"])
    expect([url, problemOfUrl(url, none)]).toEqual([url, expect.stringMatching(/plantstore listen.*WEBHOOK_NETWORKS/)]);
  expect(problemOfHost(new URL("https://app.localhost/"))).toContain("plantstore listen");
  expect(problemOfUrl("http://shop.example.com/", none)).toBe("must be an https address");
});

describe("a name", () => {
  const url = new URL("https://shop.example.com/hook");
  const answering =
    (...addresses: string[]) =>
    async () =>
      addresses;

  test("is called at an address that was looked up for this attempt", async () => {
    expect(await resolveTarget(url, none, answering("93.184.216.34"))).toEqual({ addresses: ["93.184.216.34"] });
  });

  test("that answers public, then private, is refused when it answers private", async () => {
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    const rebinding = async () => answers.shift() ?? [];
    expect(await resolveTarget(url, none, rebinding)).toEqual({ addresses: ["93.184.216.34"] });
    expect(await resolveTarget(url, none, rebinding)).toEqual({ error: "address_refused" });
  });

  test("with one private address among public ones is refused", async () => {
    expect(await resolveTarget(url, none, answering("93.184.216.34", "10.0.0.1"))).toEqual({
      error: "address_refused",
    });
  });

  test("that is not found, or has no address, cannot be called", async () => {
    const failing = async () => Promise.reject(new Error("ENOTFOUND"));
    expect(await resolveTarget(url, none, failing)).toEqual({ error: "dns" });
    expect(await resolveTarget(url, none, answering())).toEqual({ error: "dns" });
  });

  test("is called over http only inside the networks of the setting", async () => {
    const plain = new URL("http://shop.example.com/");
    expect(await resolveTarget(plain, loopback, answering("93.184.216.34"))).toEqual({ error: "address_refused" });
    expect(await resolveTarget(plain, loopback, answering("127.0.0.1"))).toEqual({ addresses: ["127.0.0.1"] });
  });

  test("is looked up at once also while the name servers of many others are silent", async () => {
    const server = await startNameServer((name) => (name.startsWith("silent") ? undefined : "93.184.216.34"));
    const before = getServers();
    setServers([server.address]);
    // No look-up is given up while the others are under way.
    jest.useFakeTimers();
    const silent = Array.from({ length: 64 }, (_, at) =>
      resolveTarget(new URL(`https://silent${at}.test/`), none, systemLookup),
    );
    expect(await resolveTarget(new URL("https://shop.test/"), none, systemLookup)).toEqual({
      addresses: ["93.184.216.34"],
    });
    expect(await Promise.race([...silent, "none of the others"])).toBe("none of the others");
    jest.useRealTimers();
    setServers(before);
    server.stop();
  });
});
