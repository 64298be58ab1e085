import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "#contract/errors.ts";
import { SETTINGS } from "#server/settings.ts";

/** The tables that documents carry and the code decides. `npm run tables` writes them; the gate compares. */
const ROOT = join(import.meta.dir, "..");

const TABLES: Readonly<Record<string, () => string>> = {
  settings: () =>
    table(
      ["setting", "default", "meaning"],
      Object.entries(SETTINGS).map(([name, { fallback, meaning }]) => [
        `\`${name}\``,
        fallback ? `\`${fallback}\`` : "",
        meaning,
      ]),
    ),
  errors: () =>
    table(
      ["error", "status", "when"],
      Object.values(ERRORS).map(({ error, status, when }) => [String(error), String(status), when]),
    ),
};

export const DOCUMENTS = ["README.md", "docs/errors.md", "docs/settings.md"];

/** The document with each table between its markers made anew. */
export function withTables(text: string): string {
  return text.replace(/(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (whole, start, name, end) => {
    const make = TABLES[name];
    return make ? `${start}${make()}\n${end}` : whole;
  });
}

export function readDocument(name: string): string {
  return readFileSync(join(ROOT, name), "utf8");
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  for (const name of DOCUMENTS) writeFileSync(join(ROOT, name), withTables(readDocument(name)));
}
