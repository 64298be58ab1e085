/**
 * Makes the page and its chart from the template, whose text is written by hand, and the stored results of each part.
 * Where a part has no stored results, its figures stay as the page has them.
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { repository, work } from "#harness/place.ts";
import { keptResults, type PartName, type Parts } from "#harness/results.ts";
import { backupTable, beyondList, searchTable } from "./beyond.ts";
import { chart, dark, light } from "./chart.ts";
import { lossTable, meaningTable, refusals } from "./keeping.ts";
import { machineTable, settingsList, skippedList } from "./settings.ts";
import { speedTable } from "./speed.ts";
import { upkeepTable } from "./upkeep.ts";

type Pieces<Part extends PartName> = Record<string, (results: Parts[Part]) => string>;

const ofCreates: Pieces<"creates"> = {
  machine: machineTable,
  "speed at 1": (results) => speedTable(results, { connections: 1, order: "sequential" }),
  "speed at 64": (results) => speedTable(results, { connections: 64, order: "sequential" }),
  "speed at 256": (results) => speedTable(results, { connections: 256, order: "sequential" }),
  "speed at 256 scattered": (results) => speedTable(results, { connections: 256, order: "scattered" }),
  refusals,
  upkeep: upkeepTable,
  meaning: meaningTable,
  loss: lossTable,
  settings: settingsList,
  skipped: skippedList,
};

const ofBeyond: Pieces<"beyond"> = {
  search: searchTable,
  backup: backupTable,
  "beyond measured": beyondList,
};

/** Writes the page to docs, or as a draft beside the results, and returns its path. */
export async function writePage(draft: boolean): Promise<string> {
  const docs = resolve(repository, "docs");
  const folder = draft ? resolve(work, "page") : docs;
  await mkdir(folder, { recursive: true });
  const creates = await keptResults("creates", draft);
  const beyond = await keptResults("beyond", draft);
  if (creates) {
    await Bun.write(resolve(folder, "comparison-light.svg"), chart(creates, light));
    await Bun.write(resolve(folder, "comparison-dark.svg"), chart(creates, dark));
  }
  const before = await Bun.file(resolve(docs, "comparison.md")).text();
  const path = resolve(folder, "comparison.md");
  await Bun.write(path, await fill({ creates, beyond }, before));
  return path;
}

type Measured = { [Part in PartName]?: Parts[Part] | undefined };

/** `before` is the page whose figures stay where there are no results. */
export async function fill({ creates, beyond }: Measured, before: string): Promise<string> {
  const template = await Bun.file(resolve(import.meta.dir, "template.md")).text();
  return template.replaceAll(/\{\{(.+?)\}\}/g, (_, name: string) => {
    const [creating, further] = [ofCreates[name], ofBeyond[name]];
    if (!creating && !further) throw new Error(`The template asks for "${name}", which nothing makes`);
    const made = (creating && creates && creating(creates)) ?? (further && beyond && further(beyond));
    return block(name, made ?? figuresOf(before, name));
  });
}

const marks = (name: string) => [`<!-- figures: ${name} -->\n\n`, `\n\n<!-- end of figures -->`] as const;

function block(name: string, text: string): string {
  const [begin, end] = marks(name);
  return begin + text + end;
}

function figuresOf(page: string, name: string): string {
  const [begin, end] = marks(name);
  const from = page.indexOf(begin);
  if (from < 0) throw new Error(`There are no results of "${name}", and the page has no figures of it`);
  return page.slice(from + begin.length, page.indexOf(end, from));
}
