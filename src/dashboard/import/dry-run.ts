import type { RefusedRecord } from "#client/bulk.ts";
import { PlantstoreError } from "#client/error.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { ERRORS } from "#contract/errors.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { plainText } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { isUnknownPlant } from "../plants/plant-data.ts";
import { excerpt } from "../text/sentence.ts";
import type { ChangedPlant } from "./import-steps.ts";
import type { Attention, Part, Plan } from "./plan.ts";

/**
 * Asks what an import would do, without doing it. Undefined for more ids than the service foretells at once; what becomes of
 * each row is then seen while it is imported.
 */
export async function dryRun({ client }: ServiceClient, part: Part, signal: AbortSignal) {
  if (part.lines.length === 0) return { counts: { created: 0, updated: 0, unchanged: 0 }, refused: [] };
  try {
    const options = { format: "ndjson", existing: "update", dryRun: true, signal } as const;
    const { created, updated, unchanged, refused } = await client.importPlants(part.body, options);
    return { counts: { created, updated, unchanged }, refused: refusals(part, refused) };
  } catch (cause) {
    if (cause instanceof PlantstoreError && cause.error === ERRORS["account-limit"].error) return undefined;
    throw cause;
  }
}

/** The service's refusals by the lines of the file, in words for its reader. */
export function refusals({ lines }: Part, errors: readonly Omit<RefusedRecord, "record">[]): Attention[] {
  return errors.map(({ line, error, message }) => ({
    line: lines[line - 1] ?? line,
    reason: plainText(message.replace(/^Cannot [^:]*: /, "")),
    code: error,
  }));
}

const CHANGES_SHOWN = 5;
/** A longer file is not sent once more for them. */
const CHANGES_SOUGHT_MAX = 20_000;

/** The first plants that would be changed, each as it is here and as it is in the file. */
export async function changedPlants(service: ServiceClient, given: Plan["given"], signal: AbortSignal) {
  if (given.lines.length > CHANGES_SOUGHT_MAX) return [];
  const { refused } = await service.client.importPlants(given.asNew, { format: "ndjson", dryRun: true, signal });
  const records = (await given.asNew.text()).split("\n");
  const changed: ChangedPlant[] = [];
  for (const { line, error } of refused) {
    if (error !== ERRORS["id-taken"].error || changed.length === CHANGES_SHOWN) continue;
    const record = parseWithNumbersAsDigits(records[line - 1] ?? "{}") as NamedRecord;
    const here = await service.client.get(BigInt(record.id), { signal }).catch(passUnknown);
    const change = here && changeBy(here, record);
    if (change) changed.push({ line: given.lines[line - 1] ?? line, id: record.id, ...change });
  }
  return changed;
}

interface NamedRecord {
  readonly id: string;
  readonly name: string;
  readonly tag?: string;
}

/** The first text that the record changes. */
function changeBy(here: StoredPlant, { name, tag }: NamedRecord) {
  if (here.name !== name) return { from: excerpt(here.name), to: excerpt(name) };
  return tag === undefined || here.tag === tag ? undefined : { from: excerpt(here.tag ?? ""), to: excerpt(tag) };
}

function passUnknown(cause: unknown): undefined {
  if (!isUnknownPlant(cause) && !(cause instanceof PlantstoreError)) throw cause;
}

const NAMES_READ_MAX = 20_000;

/** How many of these names are in the store already; 0 for a store too large to be looked through. */
export async function namesHere(client: PlantstoreClient, names: readonly string[], signal: AbortSignal) {
  const here = new Set<string>();
  let read = 0;
  for await (const { name } of client.list({ pageSize: 1000 }, { signal })) {
    here.add(name);
    if (++read > NAMES_READ_MAX) return 0;
  }
  return names.filter((name) => here.has(name)).length;
}
