import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { ROOT } from "./support/service.ts";

test("every file that the list of security requirements names is there", async () => {
  const text = await Bun.file(`${ROOT}/docs/security.md`).text();
  const named = [...new Set(text.match(/\b(?:src|test)\/[\w./-]+\.tsx?\b/g))];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((file) => !existsSync(`${ROOT}/${file}`))).toEqual([]);
});
