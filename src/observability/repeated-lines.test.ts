import { expect, test } from "bun:test";
import { type Line, RepeatedLines } from "./repeated-lines.ts";

const refused: Line = { level: "warn", fields: { request_id: "req_1" }, message: "token refused" };

test("a part that fails, or an error, is one line in a minute", () => {
  const lines = new RepeatedLines();
  for (const fields of [{ part: "search-indexer" }, { request_id: "req_1", err: new Error("disk full") }]) {
    const line: Line = { level: "part" in fields ? "warn" : "error", fields, message: "it failed" };
    expect(Array.from({ length: 45 }, () => lines.mayWrite(line, 0)).filter(Boolean)).toHaveLength(1);
  }
});

test("twenty refusals of a kind are written in a minute, and the others are one line that counts them", () => {
  const lines = new RepeatedLines();
  const written = Array.from({ length: 5000 }, () => lines.mayWrite(refused, 1000)).filter(Boolean);
  expect(written).toHaveLength(20);
  expect([...lines.summaries(60_999)]).toEqual([]);
  expect([...lines.summaries(61_000)]).toMatchObject([{ fields: { count: 4980 }, message: "repeated: token refused" }]);
  expect([...lines.summaries(Infinity)]).toEqual([]);
  expect(lines.mayWrite(refused, 61_000)).toBe(true);
});

test("lines of another kind, or of another part, or with another error, are written", () => {
  const lines = new RepeatedLines();
  for (let i = 0; i < 30; i++) lines.mayWrite(refused, 0);
  expect(lines.mayWrite({ ...refused, message: "sign-in refused" }, 0)).toBe(true);
  expect(lines.mayWrite({ ...refused, fields: { part: "backup" } }, 0)).toBe(true);
  expect(lines.mayWrite({ ...refused, fields: { err: new Error("disk full") } }, 0)).toBe(true);
});

test("a line that says why is written once in a minute for each cause, which no other cause pushes out", () => {
  const lines = new RepeatedLines();
  const because = (why: string): Line => ({
    level: "warn",
    fields: { reason: "identity-refused", why },
    message: "refused",
  });
  const written = Array.from({ length: 45 }, () => lines.mayWrite(because("nothing was begun"), 0)).filter(Boolean);
  expect(written).toHaveLength(1);
  expect(lines.mayWrite(because("the claim groups is missing"), 0)).toBe(true);
  expect([...lines.summaries(60_000)]).toMatchObject([{ fields: { why: "nothing was begun", count: 44 } }]);
  expect(lines.mayWrite(because("nothing was begun"), 60_000)).toBe(true);
});
