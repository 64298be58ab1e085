import type { BulkOutcome } from "#contract/v1/bulk-report.ts";

import type { ApiCaller } from "#core/caller.ts";

import { type Doer, namedInEvents } from "#core/event-actor.ts";
import { Failure } from "#core/failure.ts";
import type { ImportCounts } from "#core/import.ts";
import {
  type AccountNumber,
  type CreateOutcome,
  idTaken,
  type NewPlant,
  type Plant,
  type PlantRemoval,
  type PlantUpdate,
  type RemovalOutcome,
  type UpdateOutcome,
} from "#core/plant.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import type { PlantRecords } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import type { BulkAct } from "./bulk-run.ts";
import type { DryRun } from "./dry-run.ts";

type Many = "createMany" | "updateMany" | "removeMany";

export interface PageImport {
  readonly id: string;
  /** Rejects if the import is being undone. */
  count(counts: ImportCounts): Promise<void>;
}

export interface ActParts<Writes extends Many = Many> {
  /** The page's import to which the plants belong. */
  readonly pageImport?: PageImport | undefined;
  readonly plants: Pick<PlantRecords, Writes | "findMany">;
  readonly caller: Parameters<typeof namedInEvents>[0] & Pick<ApiCaller, "account">;
  readonly span: RequestSpan | undefined;
  /** Undefined if it writes. */
  readonly dryRun: DryRun | undefined;
}

/** One create for each record. */
export function createEach(parts: ActParts<"createMany">): BulkAct<NewPlant> {
  const { plants, caller, span, dryRun } = parts;
  const by = caller.person === undefined ? undefined : doerOf(parts);
  const { account } = caller;
  return {
    noun: dryRun ? "dry run" : "bulk create",
    columns: MEMBER_NAMES,
    outcomes: ["created", "unchanged"],
    async act(given) {
      const outcomes = dryRun
        ? await tried(plants, account, given, (one, stored) => dryRun.create(one, stored))
        : await noted(parts, plants.createMany(account, given, span, by));
      return outcomes.map((outcome, at) => createOutcome(given[at], outcome));
    },
  };
}

/** One create or one change for each record. */
export function updateEach(parts: ActParts<"updateMany">): BulkAct<PlantUpdate> {
  const { plants, caller, span, dryRun } = parts;
  const { account } = caller;
  return {
    noun: dryRun ? "dry run" : "bulk create",
    columns: MEMBER_NAMES,
    outcomes: ["created", "updated", "unchanged"],
    async act(given) {
      const outcomes = dryRun
        ? await tried(plants, account, given, (one, stored) => dryRun.update(one, stored))
        : await noted(parts, plants.updateMany(account, given, span, doerOf(parts)));
      return outcomes.map((outcome, at) => updateOutcome(given[at], outcome));
    },
  };
}

export function removeEach({ plants, caller, span, dryRun }: ActParts<"removeMany">): BulkAct<PlantRemoval> {
  const { account } = caller;
  return {
    noun: dryRun ? "dry run" : "bulk removal",
    columns: ["etag"],
    outcomes: ["removed", "missing"],
    async act(given) {
      const outcomes = dryRun
        ? await tried(plants, account, given, (one, stored) => dryRun.remove(one, stored))
        : await plants.removeMany(account, given, span, namedInEvents(caller));
      return outcomes.map((outcome, at) => removalOutcome(given[at], outcome));
    },
  };
}

/** The caller, with the mark of a page's import. */
function doerOf({ caller, pageImport }: Pick<ActParts, "caller" | "pageImport">): Doer {
  return { ...namedInEvents(caller), importMark: pageImport?.id };
}

/** Adds to the counts of a page's import. A record that was refused counts for none. */
async function noted<Outcome extends CreateOutcome | UpdateOutcome>(
  { pageImport }: Pick<ActParts, "pageImport">,
  writing: Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes = await writing;
  if (!pageImport) return outcomes;
  const countOf = (wanted: UpdateOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const counts = { created: countOf("created"), updated: countOf("updated") };
  if (counts.created + counts.updated > 0) await pageImport.count(counts);
  return outcomes;
}

/** Longer texts are read one plant after the other, so that few are in memory at a time. */
const SHORT_BYTES = 4096;

/** Predicts the outcome of each record from the plants that are stored now. */
async function tried<Given extends { readonly id: bigint }, Outcome>(
  plants: Pick<PlantRecords, "findMany">,
  account: AccountNumber,
  given: readonly Given[],
  act: (one: Given, stored: Plant | undefined) => Outcome,
): Promise<Outcome[]> {
  const found = await plants.findMany(
    account,
    given.map(({ id }) => id),
    SHORT_BYTES,
  );
  const outcomes: Outcome[] = [];
  for (const [at, one] of given.entries()) {
    let stored = found[at];
    if (stored && stored.name === undefined) [stored] = await plants.findMany(account, [one.id], TEXTS_BYTES_MAX);
    outcomes.push(act(one, stored as Plant | undefined));
  }
  return outcomes;
}

/** The texts of a plant have at most a body of 1 MiB, in which an escaped character may take less than in UTF-8. */
const TEXTS_BYTES_MAX = 2 ** 30;

function createOutcome(given: NewPlant | undefined, outcome: CreateOutcome): BulkOutcome | Failure {
  return outcome === "created" || outcome === "unchanged" ? outcome : idTaken(given?.id ?? 0n, outcome);
}

function updateOutcome(given: PlantUpdate | undefined, outcome: UpdateOutcome): BulkOutcome | Failure {
  if (outcome !== "nameless") return outcome;
  const problem = `there is none with the id ${given?.id}, and to create it the required member "name" is missing`;
  return new Failure("body-not-a-plant", `Cannot update the plant: ${problem}`);
}

function removalOutcome(given: PlantRemoval | undefined, outcome: RemovalOutcome): BulkOutcome | Failure {
  if (outcome !== "changed") return outcome;
  const reason = `the plant with the id ${given?.id} has another version, and was not removed`;
  return new Failure("precondition-failed", `"etag" does not hold: ${reason}`);
}
