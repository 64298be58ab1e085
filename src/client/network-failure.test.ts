import { expect, test } from "bun:test";
import { notReached } from "./network-failure.ts";

const inNode = (cause: object) => Object.assign(new TypeError("fetch failed"), { cause });

test.each([
  [
    "a refused connection in Node",
    inNode({ code: "ECONNREFUSED", syscall: "connect", message: "connect ECONNREFUSED" }),
    "network",
    false,
  ],
  [
    "a refused connection in Bun",
    Object.assign(new TypeError("Unable to connect"), { code: "ECONNREFUSED" }),
    "network",
    false,
  ],
  [
    "a name that cannot be asked for now",
    inNode({ code: "EAI_AGAIN", message: "getaddrinfo EAI_AGAIN x" }),
    "network",
    false,
  ],
  [
    "a handshake that was cut off",
    inNode({
      code: "ECONNRESET",
      message: "Client network socket disconnected before secure TLS connection was established",
    }),
    "network",
    false,
  ],
  ["a name that does not exist", inNode({ code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND x" }), "address", false],
  [
    "a certificate that has expired",
    inNode({ code: "CERT_HAS_EXPIRED", message: "certificate has expired" }),
    "address",
    false,
  ],
  ["a cut connection", inNode({ code: "ECONNRESET", syscall: "read", message: "read ECONNRESET" }), "network", true],
  ["a browser's failure, which says nothing", new TypeError("Failed to fetch"), "network", true],
] as const)("%s: %#", (_, error, reason, sent) => {
  expect(notReached("http://x", error)).toMatchObject({ reason, sent });
});
