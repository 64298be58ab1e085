import { describe, expect, test } from "bun:test";
import { AccountForm, SignUpForm } from "#contract/dashboard/account.ts";
import { AuditQuery } from "#contract/dashboard/audit.ts";
import { RequestsQuery } from "#contract/dashboard/requests.ts";
import { NewTokenForm, RollForm } from "#contract/dashboard/tokens.ts";
import { UsageQuery } from "#contract/dashboard/usage.ts";
import { Failure } from "#core/failure.ts";
import { readForm, readOptionalJson } from "./form.ts";
import { readQuery } from "./query.ts";
import { requireStorableAddress, requireStorableForm } from "./storable-text.ts";
import { errorsOf, totals } from "./totals.ts";

const post = (body: string, type = "application/json") =>
  new Request("http://localhost/dashboard/api/x", { method: "POST", headers: { "Content-Type": type }, body });

async function refusal(act: () => unknown): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe("a form", () => {
  test("is a JSON object, or nothing", async () => {
    expect(await readOptionalJson(post('{"a":1}'))).toEqual({ a: 1 });
    expect(await readOptionalJson(post(""))).toEqual({});
    expect(await refusal(() => readOptionalJson(post("a=1", "application/x-www-form-urlencoded")))).toStartWith(
      "media-type-unsupported",
    );
    for (const body of ["{", "[]", "null", "7"]) {
      expect(await refusal(() => readOptionalJson(post(body)))).toMatch(/^body-not-/);
    }
  });

  test.each([
    ['{"a":"x\\u0000"}', "a"],
    ['{"a":{"b":["\\ud800"]}}', "0"],
  ])("with text that no database keeps is refused: %s", async (body, member) => {
    expect(await refusal(() => readOptionalJson(post(body)))).toBe(
      `member-invalid: Cannot take "${member}": it holds U+0000 or a lone surrogate`,
    );
  });

  test("is refused with the member that is wrong", async () => {
    const form = JSON.stringify({ name: "Till", scopes: [], expires_at: null });
    expect(await refusal(() => readForm(post(form), NewTokenForm))).toStartWith(
      'member-invalid: Cannot take "scopes": ',
    );
  });

  test.each([
    [NewTokenForm, { name: " ", scopes: ["plants:read"], expires_at: null }],
    [NewTokenForm, { name: "Till", scopes: ["plants:delete"], expires_at: null }],
    [NewTokenForm, { name: "Till", scopes: ["plants:read"], expires_at: "tomorrow" }],
    [RollForm, { overlap_seconds: -1 }],
    [RollForm, { overlap_seconds: 30 * 24 * 3600 + 1 }],
    [SignUpForm, { email: "nobody", password: "long enough to be one" }],
    [AccountForm, { name: "" }],
  ])("with a value that may not be is refused (%#)", async (schema, form) => {
    expect(await refusal(() => readForm(post(JSON.stringify(form)), schema))).toStartWith("member-invalid");
  });
});

describe("a query", () => {
  test("has its defaults", () => {
    expect(readQuery(new URLSearchParams(""), UsageQuery)).toEqual({ range: "day", zone_minutes: 0 });
    expect(readQuery(new URLSearchParams("limit=7"), AuditQuery)).toEqual({ limit: 7 });
  });

  test.each([
    ["409", [409]],
    ["4xx", [4]],
    ["4xx,503", [4, 503]],
  ])("for requests of status %s is read", (status, statuses) => {
    expect(readQuery(new URLSearchParams(`status=${status}`), RequestsQuery).status).toEqual(statuses);
  });

  test.each([
    "status=6xx",
    "status=40",
    "status=4xx,",
    "limit=0",
    "limit=201",
    "limit=1e1",
    "limit=1&limit=2",
    "cursor=-1",
  ])("%s is refused as a malformed address", async (query) => {
    expect(await refusal(() => readQuery(new URLSearchParams(query), RequestsQuery))).toStartWith("address-malformed");
  });
});

describe("an address", () => {
  test.each(["http://x/a%00b", "http://x/%FF", "http://x/a?b=%00", "http://x/a?%00=b"])(
    "that no id can have is refused: %s",
    async (address) => {
      expect(await refusal(() => requireStorableAddress(address))).toStartWith("address-malformed");
    },
  );

  test("may hold any other text", () => {
    expect(() => requireStorableAddress("http://x/%F0%9F%8C%B1?q=%C3%84&q=%2F")).not.toThrow();
    expect(() => requireStorableForm({ a: [null, 1, true, { b: "🌱" }] })).not.toThrow();
  });
});

describe("counts of requests", () => {
  const counts = [
    { start: 0, outcome: 1, count: 5 },
    { start: 0, outcome: 0, count: 2 },
    { start: 0, outcome: 40901, count: 1 },
    { start: 60, outcome: 40003, count: 3 },
    { start: 60, outcome: 40901, count: 3 },
  ];

  test("add up to created plants, refusals and all others", () => {
    expect(totals(counts)).toEqual({ created: 5, other: 2, errors: 7 });
    expect(totals([])).toEqual({ created: 0, other: 0, errors: 0 });
  });

  test("name each error once, the most frequent first", () => {
    expect(errorsOf(counts)).toEqual([
      { error: 40901, count: 4 },
      { error: 40003, count: 3 },
    ]);
  });
});
