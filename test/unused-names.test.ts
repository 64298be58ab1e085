import { expect, test } from "bun:test";
import { readSources, unusedNames } from "#scripts/unused-names.ts";

const sources = readSources();

test("each setting is read, each metric set, each error thrown and each audit action recorded", () => {
  expect(unusedNames(sources)).toEqual([]);
});

/** Mentions that are no use: a comment, a type, a key, a list and a comparison. */
const MENTIONED = `
/** PLANTED */
type Planted = "PLANTED" | Record<"PLANTED", string>;
const table = { PLANTED: "planted" };
const listed = ["PLANTED"];
const isPlanted = table === "PLANTED";
`;

test("a name of each kind that is only mentioned is found", () => {
  const audit = 'interface Actions {\n  planted: "unused";\n}';
  const planted = new Map([
    ["src/core/audit.ts", audit],
    ["src/server/planted.ts", MENTIONED],
  ]);
  const found = unusedNames(planted, ["PLANTED"]);
  expect(found.filter((problem) => problem.startsWith("PLANTED"))).toEqual([
    "PLANTED is a setting that nothing reads",
    "PLANTED is a metric that nothing sets",
    "PLANTED is an error that nothing throws",
    "PLANTED is an audit action that nothing records",
  ]);
  expect(found).toContain("planted.unused is an audit action that nothing records");
});

test.each([
  ["settings.PLANTED", "a setting that nothing reads"],
  ["const { PLANTED: planted } = settings", "a setting that nothing reads"],
  ['observer.count("PLANTED")', "a metric that nothing sets"],
  ['throw new Failure("PLANTED", "sentence")', "an error that nothing throws"],
  ['record({ action: "PLANTED" })', "an audit action that nothing records"],
])("%s is a use, after which nothing says: %s", (text, problem) => {
  const found = unusedNames(new Map([["src/server/planted.ts", text]]), ["PLANTED"]);
  expect(found).not.toContain(`PLANTED is ${problem}`);
});
