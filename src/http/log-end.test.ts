import { describe, expect, test } from "bun:test";
import { Failure, type FailureCode, unavailable } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import { Networks } from "#core/networks.ts";
import { contextOfRequest } from "#test/support/request-context.ts";
import { clientInfo } from "./client-info.ts";
import { logEnd } from "./log-end.ts";
import type { Mount } from "./mount.ts";

type Line = [level: string, message: string, fields: Record<string, unknown>];

/** The lines of a request that ended with the error. */
function linesOf(error: unknown, { debug = false, mount }: { debug?: boolean; mount?: Mount } = {}): Line[] {
  const lines: Line[] = [];
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push([level, message, fields]);
  const log: Log = {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    debugEnabled: debug,
  };
  const request = new Request("http://localhost/v1/plants");
  const proxies = new Networks([]);
  const clientInfoOf = clientInfo({ baseUrl: undefined, proxies, log, peer: () => "192.0.2.7" });
  const ended = contextOfRequest(request, { clientInfoOf, observation: {} }, mount);
  ended.error = error;
  ended.end(error === undefined ? 200 : 400);
  logEnd(log, ended);
  return lines;
}

const refused = (code: FailureCode, cause?: unknown) => new Failure(code, "refused", cause ? { cause } : {});
const MOUNT: Mount = { prefix: "/auth", route: "other", headers: () => ({}), fetch: async () => new Response() };
const CAUSE = new Error("disk full");
const OUTAGE = unavailable("The storage is full");

describe("the line of a request's end", () => {
  test.each([
    ["a fault", CAUSE, CAUSE],
    ["a failure of the service", refused("fault", CAUSE), expect.objectContaining({ cause: CAUSE })],
    ["an outage", OUTAGE, OUTAGE],
  ])("is an error with the cause for %s", (_, error, err) => {
    expect(linesOf(error)).toMatchObject([["error", "request failed", { path: "/v1/plants", err }]]);
  });

  test.each(["token-missing", "token-refused"] as const)("is a warning with the client's address for %s", (code) => {
    expect(linesOf(refused(code))).toMatchObject([["warn", "token refused", { address: "192.0.2.7" }]]);
  });

  test.each([
    ["sign-in-refused", undefined],
    ["second-factor-refused", undefined],
    ["password-refused", undefined],
    ["sign-up-refused", undefined],
    ["origin-refused", undefined],
    ["rate-limited", MOUNT],
  ] as const)("is a warning with its reason for %s", (code, mount) => {
    const fields = { reason: code, address: "192.0.2.7", path: "/v1/plants" };
    expect(linesOf(refused(code), { mount })).toMatchObject([["warn", "sign-in refused", fields]]);
  });

  test.each(["identity-unknown", "identity-refused"] as const)("has its cause for %s", (code) => {
    const refusal = refused(code, new Error("the claim groups is missing"));
    expect(linesOf(refusal)).toMatchObject([["warn", "sign-in refused", { why: "the claim groups is missing" }]]);
  });

  test.each(["member-invalid", "id-taken", "plant-unknown", "scope-missing", "rate-limited"] as const)(
    "is none for %s of the API",
    (code) => {
      expect(linesOf(refused(code))).toEqual([]);
    },
  );

  test("is none for a request that went well, unless each is logged", () => {
    expect(linesOf(undefined)).toEqual([]);
    expect(linesOf(undefined, { debug: true })).toMatchObject([
      [
        "debug",
        "request",
        { method: "GET", path: "/v1/plants", status: 200, ms: expect.any(Number), address: "192.0.2.7" },
      ],
    ]);
  });
});
