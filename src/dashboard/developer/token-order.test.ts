import { expect, test } from "bun:test";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { chosenTokens, tokenOrder } from "./token-order.ts";

function token(name: string, created: string, used: string | null, expires: string | null): TokenRecord {
  const times = { created_at: created, last_used_at: used, expires_at: expires, revoked_at: null };
  return { id: name, name, hint: `plant_${name.slice(0, 4)}…0000`, scopes: ["plants:read"], state: "active", ...times };
}

const tokens = [
  token("Oak", "2026-01-01T00:00:00.000Z", null, "2026-09-01T00:00:00.000Z"),
  token("Ash", "2026-02-01T00:00:00.000Z", "2026-02-02T00:00:00.000Z", null),
  token("Elm", "2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z", "2026-04-01T00:00:00.000Z"),
];
const names = (chosen: TokenRecord[]) => chosen.map(({ name }) => name);

test("each order is what its label says; what never expires and what was never used comes last", () => {
  expect(names(chosenTokens(tokens, "", "created"))).toEqual(["Elm", "Ash", "Oak"]);
  expect(names(chosenTokens(tokens, "", "name"))).toEqual(["Ash", "Elm", "Oak"]);
  expect(names(chosenTokens(tokens, "", "used"))).toEqual(["Elm", "Ash", "Oak"]);
  expect(names(chosenTokens(tokens, "", "expires"))).toEqual(["Elm", "Oak", "Ash"]);
});

test("a token is found by a part of its name or of its hint, in any case", () => {
  expect(names(chosenTokens(tokens, " oA", "name"))).toEqual(["Oak"]);
  expect(names(chosenTokens(tokens, "PLANT_ELM", "name"))).toEqual(["Elm"]);
  expect(chosenTokens(tokens, "beech", "name")).toEqual([]);
});

test("an unknown order in the address is the default one", () => {
  expect(tokenOrder("sideways")).toBe("created");
  expect(tokenOrder(null)).toBe("created");
  expect(tokenOrder("used")).toBe("used");
});
