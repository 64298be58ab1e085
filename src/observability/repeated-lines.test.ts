import { expect, test } from "bun:test";
import { type Line, RepeatedLines } from "./repeated-lines.ts";

const refused: Line = { level: "warn", fields: { requestId: "req_1" }, message: "token refused" };

test("twenty lines of a kind are written in a minute, and the others are one line that counts them", () => {
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
