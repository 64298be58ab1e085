import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

/**
 * In `SELECT number::text … ORDER BY number` the order is that of the text wherever a planner writes the statement out anew
 * without the table's name: "10" comes before "9". Such a statement sorts by a column of another name.
 */
function sortedAsText(source: string): string[] {
  const constants = new Map(
    [...source.matchAll(/const ([A-Z_]+) =\s*[`"]([^`"]*)[`"];/g)].map(([, name, text]) => [name, text]),
  );
  const resolved = (text: string): string =>
    text.replace(/\$\{([A-Z_]+)\}/g, (whole, name) =>
      constants.has(name) ? resolved(constants.get(name) ?? "") : whole,
    );
  return [...source.matchAll(/[`"]([^`"]*\bSELECT\b[^`"]*)[`"]/g)].flatMap(([, text = ""]) => {
    const outer = withoutParts(resolved(text).replace(/CAST\(([\w.]+) AS text\)/g, "$1::text"));
    const [columns = "", order = ""] = outer.slice(outer.lastIndexOf("SELECT")).split("ORDER BY");
    const cast = [...columns.matchAll(/(\w+)::\w+(?: AS (\w+))?/g)].flatMap(([, of, name = of]) =>
      name === of ? [name ?? ""] : [],
    );
    return cast.filter((name) => new RegExp(`\\b${name}\\b`).test(order));
  });
}

/** The outermost statement, without what stands in parentheses. */
function withoutParts(text: string): string {
  const shorter = text.replace(/\([^()]*\)/g, "");
  return shorter === text ? text : withoutParts(shorter);
}

test("no statement sorts by a column that it also casts under the same name", async () => {
  const found: string[] = [];
  for await (const file of new Glob("**/*.ts").scan(import.meta.dir)) {
    if (file.endsWith(".test.ts")) continue;
    const source = await Bun.file(join(import.meta.dir, file)).text();
    found.push(...sortedAsText(source).map((column) => `${file}: ${column}`));
  }
  expect(found).toEqual([]);
});

test("such statements are found, also where a constant names the columns", () => {
  const COLUMNS = 'const COLUMNS = "plants.number::text, name";';
  expect(sortedAsText(`${COLUMNS} query(\`SELECT $\{COLUMNS} FROM plants ORDER BY plants.number\`)`)).toEqual([
    "number",
  ]);
  expect(sortedAsText('query("SELECT number::text AS mark FROM t ORDER BY number")')).toEqual([]);
});
