import type { ImportProgress } from "#client/import.ts";
import type { NextId } from "#contract/dashboard/plants.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { FILE_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { RequestFailure } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { plantsChanged } from "../plants/plant-data.ts";
import { refusals } from "./dry-run.ts";
import { bytesOf } from "./encoding.ts";
import { rememberColumns } from "./headings.ts";
import type { Chosen, ImportPage, ImportRun, ImportStep } from "./import-steps.ts";
import type { Part, Plan } from "./plan.ts";

type Sent = Pick<Extract<ImportStep, { readonly name: "running" }>, "chosen" | "plan" | "importId">;

/** How often plants are numbered anew whose numbers others have taken meanwhile. */
const NUMBERED_MAX = 5;

/** Sends the plan in slices. After a stop or a failure everything sent so far stays; sending all of it again is safe. */
export async function send(page: ImportPage, { chosen, plan, importId }: Sent): Promise<void> {
  const { importStep, queries } = page;
  if (importStep.get().name === "running") return;
  const { file, reading, headings } = chosen.source;
  const abort = new AbortController();
  const sending = new Sending(page, plan, chosen, abort.signal, (run) =>
    importStep.set({ name: "running", chosen, plan, run, stop: () => abort.abort() }),
  );
  sending.importId = importId;
  try {
    await bytesOf(file, 0, 1);
  } catch (cause) {
    return importStep.set({ name: "rejected", file, cause });
  }
  if (reading.format !== "ndjson") rememberColumns(headings, chosen.choices.columns);
  const done = () => ({ name: "done", chosen, plan, importId: sending.importId, run: sending.run }) as const;
  try {
    await sending.all();
    importStep.set({ ...done(), outcome: "whole" });
  } catch (cause) {
    const end = abort.signal.aborted ? { outcome: "stopped" as const } : { outcome: "failed" as const, cause };
    importStep.set({ ...done(), ...end });
  }
  await plantsChanged(queries);
}

/** The id of a new import; undefined where the service keeps no events, by which it could be undone. */
async function begun(service: ServiceClient, { name }: File): Promise<string | undefined> {
  try {
    const file_name = name.slice(0, FILE_NAME_LENGTH_MAX).toWellFormed();
    return (await service.api<{ id: string }>("POST", "/imports", { file_name })).id;
  } catch (error) {
    if (error instanceof RequestFailure && error.error === ERROR_NUMBERS["address-unknown"]) return undefined;
    throw error;
  }
}

class Sending {
  run: ImportRun;
  /** Undefined until it has begun, and where the service keeps no events. */
  importId: string | undefined;

  constructor(
    private readonly page: ImportPage,
    private readonly plan: Plan,
    private readonly chosen: Chosen,
    private readonly signal: AbortSignal,
    private readonly show: (run: ImportRun) => void,
  ) {
    this.run = {
      counts: { created: 0, updated: 0, unchanged: 0, left: 0, bytes: 0 },
      startedAt: performance.now(),
      sizeBytes: plan.given.body.size + plan.numbered.body.size,
      attention: plan.attention.copy(),
    };
  }

  async all(): Promise<void> {
    this.show(this.run);
    const { given, numbered } = this.plan;
    this.importId ??= await begun(this.page.service, this.chosen.source.file);
    const leaves = this.chosen.existing === "leave";
    await this.#send({ ...given, body: leaves ? given.asNew : given.body }, leaves ? "refuse" : "update", () => {
      this.#count({ left: 1 });
      return undefined;
    });
    let rest: Part = numbered;
    for (let round = 1; rest.lines.length > 0; round++) rest = await this.#sendNumbered(rest, round === NUMBERED_MAX);
  }

  /** Returns the plants whose numbers were taken meanwhile, numbered anew. */
  async #sendNumbered(part: Part, isLast: boolean): Promise<Part> {
    const taken: { readonly line: number; readonly record: string }[] = [];
    await this.#send(part, "refuse", (refusal) => (isLast ? refusal : void taken.push(refusal)));
    if (taken.length === 0) return { body: new Blob(), lines: [] };
    const { id } = await this.page.service.api<NextId>("GET", "/plants/next-id");
    let next = id === null ? undefined : BigInt(id);
    if (next === undefined) throw new Error("No id is free above the greatest.");
    const records = taken.map(({ record }) => `${record.replace(/^\{"id":-?\d+/, `{"id":${next && next++}`)}\n`);
    return { body: new Blob(records), lines: taken.map(({ line }) => line) };
  }

  /** `taken` says what becomes of a record whose id another plant has: undefined if it needs no attention. */
  async #send(part: Part, existing: "update" | "refuse", taken: (refusal: Taken) => Taken | undefined): Promise<void> {
    if (part.lines.length === 0) return;
    const { service } = this.page;
    const client = this.importId === undefined ? service.client : service.importClient(this.importId);
    let before = { created: 0, updated: 0, unchanged: 0, bytes: 0 };
    const onProgress = (progress: ImportProgress) => {
      const { created, updated, unchanged, bytes, refused } = progress;
      this.#count({
        created: created - before.created,
        updated: updated - before.updated,
        unchanged: unchanged - before.unchanged,
        bytes: bytes - before.bytes,
      });
      before = { created, updated, unchanged, bytes };
      const left = refused.filter((each) => {
        const line = part.lines[each.line - 1] ?? each.line;
        if (each.error !== ERROR_NUMBERS["id-taken"]) return true;
        return taken({ line, record: new TextDecoder().decode(each.record) }) !== undefined;
      });
      this.run.attention.addAll(refusals(part, left));
      this.show(this.run);
    };
    const options = { format: "ndjson", existing, signal: this.signal, retriesMax: 4, onProgress } as const;
    await client.importPlants(part.body, options);
  }

  #count(more: Partial<ImportRun["counts"]>): void {
    const counts = { ...this.run.counts };
    for (const [name, count] of Object.entries(more)) counts[name as keyof typeof counts] += count;
    this.run = { ...this.run, counts };
  }
}

interface Taken {
  readonly line: number;
  readonly record: string;
}
