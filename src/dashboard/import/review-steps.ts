import type { NextId } from "#contract/dashboard/plants.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { dryRun, namesHere } from "./dry-run.ts";
import { columnsFor } from "./headings.ts";
import type { Check, Chosen, ImportPage, ImportStep } from "./import-steps.ts";
import { type Choices, type Plan, planOf } from "./plan.ts";
import { previewRows } from "./row-preview.ts";
import type { Reading, Source } from "./source.ts";
import { openSource } from "./source.ts";

type Review = Extract<ImportStep, { readonly name: "review" }>;

/** Opens the file and checks it, unless another was chosen meanwhile. */
export async function beginReview(page: ImportPage, reading: ImportStep, file: File) {
  const source = await openSource(file);
  if (page.importStep.get() === reading)
    await review(page, { source, wanted: {}, choices: choicesFor(source), existing: "update" });
}

/** The first choices for a file: the columns that fit it. */
function choicesFor(source: Source): Choices {
  const { headings, reading, start } = source;
  const below = start.filter(({ line }) => line > reading.headingLine);
  const columns =
    reading.format === "ndjson"
      ? Object.fromEntries(headings.map((member, at) => [member, at]))
      : columnsFor(headings, below, reading.headingLine > 0);
  return { columns, oddIds: "ask", rounded: "ask", firstId: undefined };
}

/** Reads the file anew, with another separator, encoding, line of headings or sheet. */
export async function changeReading(page: ImportPage, { chosen }: Review, change: Partial<Reading>) {
  const wanted = { ...chosen.wanted, ...change };
  const step: Review = { name: "review", chosen: { ...chosen, wanted }, check: { name: "checking" } };
  page.importStep.set(step);
  try {
    const source = await openSource(chosen.source.file, wanted);
    if (page.importStep.get() !== step) return;
    await review(page, { ...chosen, source, wanted, choices: choicesFor(source) });
  } catch (cause) {
    if (page.importStep.get() !== step) return;
    page.importStep.set({ ...step, check: { name: "failed", cause } });
  }
}

export function changeChoices(page: ImportPage, { chosen }: Review, change: Partial<Choices>) {
  return review(page, { ...chosen, choices: { ...chosen.choices, ...change } });
}

/** Finds the fate of every row, and shows it unless something was changed meanwhile. */
export async function review(page: ImportPage, chosen: Chosen): Promise<void> {
  const { importStep } = page;
  const step: Review = { name: "review", chosen, check: { name: "checking" } };
  importStep.set(step);
  const abort = new AbortController();
  const stop = importStep.subscribe(() => abort.abort());
  try {
    const found = await checked(page.service, chosen, abort.signal);
    if (importStep.get() === step) importStep.set({ ...step, ...found });
  } catch (cause) {
    if (importStep.get() === step) importStep.set({ ...step, check: { name: "failed", cause } });
  } finally {
    stop();
  }
}

async function checked(service: ServiceClient, chosen: Chosen, signal: AbortSignal) {
  const { source } = chosen;
  let { choices } = chosen;
  const { columns, oddIds } = choices;
  const says = (check: Check) => ({ chosen: { ...chosen, choices }, check });
  if (columns.name === undefined) return says({ name: "incomplete" });
  if (columns.id === undefined || oddIds === "number") {
    const { id } = await service.api<NextId>("GET", "/plants/next-id");
    if (id === null) return says({ name: "unnumbered" });
    choices = { ...choices, firstId: BigInt(id) };
  }
  const plan = await planOf(source, choices, signal);
  return says(await fateOf(service, plan, signal));
}

async function fateOf(service: ServiceClient, plan: Plan, signal: AbortSignal): Promise<Check> {
  const attention = plan.attention.copy();
  const ran = await dryRun(service, plan.given, signal);
  attention.addAll(ran?.refused ?? []);
  const numbered = plan.numbered.lines.length;
  const counts = ran && { ...ran.counts, created: ran.counts.created + numbered };
  const known = ran?.counts ?? { created: 0, updated: 0, unchanged: 0 };
  const first = await previewRows(service.client, plan, known, attention, signal);
  const here = numbered > 0 ? await namesHere(service.client, plan.numbered.names, signal) : 0;
  return { name: "checked", plan, counts, attention, first, namesHere: here };
}
