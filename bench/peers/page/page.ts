/**
 * Writes the figures of docs/comparison.md, between their markers, from the stored results.
 * The text around them is written by hand. Without stored results the figures stay as the page has them.
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { repository, work } from "#harness/place.ts";
import { keptResults, type Results } from "#harness/results.ts";
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

const PIECES: Record<string, (results: Results) => string> = {
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

const FIGURES = /(<!-- figures: (.+?) -->\n\n)[\s\S]*?(\n\n<!-- end -->)/g;

/** Writes the page to docs, or as a draft beside the results, and returns its path. */
export async function writePage(draft: boolean): Promise<string> {
  const docs = resolve(repository, "docs");
  const folder = draft ? resolve(work, "page") : docs;
  await mkdir(folder, { recursive: true });
  const results = await keptResults(draft);
  const page = await Bun.file(resolve(docs, "comparison.md")).text();
  const path = resolve(folder, "comparison.md");
  await Bun.write(path, results ? fill(results, page) : page);
  return path;
}

/** The page with all its figures made anew. */
export function fill(results: Results, page: string): string {
  return page.replaceAll(FIGURES, (_, start: string, name: string, end: string) => {
    const make = PIECES[name];
    if (!make) throw new Error(`The page asks for "${name}", which nothing makes`);
    return `${start}${make(results)}${end}`;
  });
}
