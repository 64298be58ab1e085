/**
 * Writes the figures of docs/comparison.md, between their markers, and its chart from the stored results of each part.
 * The text around them is written by hand. Where a part has no stored results, its figures stay as the page has them.
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { repository, work } from "#harness/place.ts";
import { keptResults, type PartName, type Parts } from "#harness/results.ts";
import { backupTable, beyondList, searchTable } from "./beyond.ts";
import { chart, dark, light } from "./chart.ts";
import {
  lossTable,
  machineLine,
  meaningTable,
  refusals,
  settingsList,
  skippedList,
  speedTable,
  upkeepTable,
} from "./creates.ts";

type Pieces<Part extends PartName> = Record<string, (results: Parts[Part]) => string>;

const ofCreates: Pieces<"creates"> = {
  machine: machineLine,
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

const FIGURES = /(<!-- figures: (.+?) -->\n\n)[\s\S]*?(\n\n<!-- end -->)/g;

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
  const page = await Bun.file(resolve(docs, "comparison.md")).text();
  const path = resolve(folder, "comparison.md");
  await Bun.write(path, fill({ creates, beyond }, page));
  return path;
}

type Measured = { [Part in PartName]?: Parts[Part] | undefined };

/** The page with the figures of every part that has results made anew. */
export function fill({ creates, beyond }: Measured, page: string): string {
  return page.replaceAll(FIGURES, (whole: string, start: string, name: string, end: string) => {
    const [creating, further] = [ofCreates[name], ofBeyond[name]];
    if (!creating && !further) throw new Error(`The page asks for "${name}", which nothing makes`);
    const made = (creating && creates && creating(creates)) ?? (further && beyond && further(beyond));
    return made === undefined ? whole : `${start}${made}${end}`;
  });
}
