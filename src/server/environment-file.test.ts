import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { addFromFile, variables } from "./environment-file.ts";

test.each<[text: string, found: Record<string, string>]>([
  ["# a comment\n; another, \\\nWHICH=goes on\n\nPORT=1\n", { PORT: "1" }],
  ["  A = b c  \nB=\r\nC=last", { A: "b c", B: "", C: "last" }],
  ['A="a \\"b\\" \\$c \\n"\nB=\'a \\"b\'\n', { A: 'a "b" $c \\n', B: 'a \\"b' }],
  ['A="two\nlines"\nB=\'x\' "y"\n', { A: "two\nlines", B: "xy" }],
  ['A=one \\\ntwo\nB=it\\\'s "it"\nC=a#b\n', { A: "one two", B: 'it\'s "it"', C: "a#b" }],
  ['A=one \\\r\ntwo\r\nB="two\r\nlines"\r\n', { A: "one two", B: "two\nlines" }],
  ["export A=1\nno name\n=x\n1A=2\nB=3", { B: "3" }],
  ["A=1\nA=2\n", { A: "2" }],
])("a file of settings is read as systemd reads it: %j", (text, found) => {
  expect(variables(text)).toEqual(found);
});

test("a variable of the environment wins, also an empty one", () => {
  const path = join(temporaryFolder(), "plantstore.env");
  writeFileSync(path, "A=file\nB=file\nC=file\n");
  const environment = { A: "own", B: "" };
  addFromFile(path, environment);
  expect<Record<string, string>>(environment).toEqual({ A: "own", B: "", C: "file" });
});
