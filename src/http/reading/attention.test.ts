import { expect, test } from "bun:test";
import type { ListedToken } from "#core/token.ts";
import { attentionTo, worryingErrorShare } from "./attention.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

function inDays(days: number): number {
  return NOW + days * 86_400_000;
}

function kinds(more: Partial<ListedToken>): string[] {
  const token: ListedToken = {
    id: "tok_1",
    account: 1,
    name: "Till",
    hint: "plant_4fQa…x81Z",
    scopes: ["plants:write"],
    createdAt: inDays(-100),
    lastUsedAt: inDays(-1),
    expiresAt: undefined,
    revokedAt: undefined,
    madeBy: undefined,
    isLeftBehind: false,
    ...more,
  };
  return attentionTo(token, NOW);
}

test("a token asks for attention when it expires within 14 days, unless it was rolled already", () => {
  expect(kinds({ expiresAt: inDays(13.9) })).toEqual(["expiring"]);
  expect(kinds({ expiresAt: inDays(14.1) })).toEqual([]);
  expect(kinds({ expiresAt: inDays(7), revokedAt: inDays(1) })).toEqual([]);
});

test("a token asks for attention when it was not used for 90 days, or never since it was made then", () => {
  expect(kinds({ lastUsedAt: inDays(-91) })).toEqual(["unused"]);
  expect(kinds({ lastUsedAt: inDays(-89) })).toEqual([]);
  expect(kinds({ lastUsedAt: undefined })).toEqual(["unused"]);
  expect(kinds({ lastUsedAt: undefined, createdAt: inDays(-2) })).toEqual([]);
});

test("errors ask for attention beyond 5 % of the answers", () => {
  expect(worryingErrorShare(5, 100)).toBeUndefined();
  expect(worryingErrorShare(6, 100)).toBeCloseTo(0.06);
  expect(worryingErrorShare(0, 0)).toBeUndefined();
});
