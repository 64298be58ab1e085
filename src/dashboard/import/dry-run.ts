import type { RefusedRecord } from "#client/bulk.ts";
import { PlantstoreError } from "#client/error.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { plainText } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import type { Attention, Part } from "./plan.ts";

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
    if (cause instanceof PlantstoreError && cause.error === ERROR_NUMBERS["account-limit"]) return undefined;
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
