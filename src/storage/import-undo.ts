import { sql } from "kysely";
import type { Doer } from "#core/event-actor.ts";
import { Failure } from "#core/failure.ts";
import {
  type ImportUndo,
  LEFT_NAME_LENGTH_MAX,
  LEFT_PLANTS_MAX,
  type LeftPlant,
  type LeftReason,
  undoMark,
} from "#core/import.ts";
import type { Job } from "#core/job.ts";
import { entityTag, type PlantRevision, patchTo } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import { rolesWith } from "#core/role.ts";
import { type DatabaseAccess, retryIfChanged } from "./database-access.ts";
import { type ImportedPlant, type ImportKey, importedPlants, textsBefore } from "./import-rows.ts";
import { type ImportRow, importFromRow, keepingUndo } from "./imports.ts";
import { hasRole, hasSecondFactor } from "./roles.ts";

/** The writes of an import that are undone at a time. */
const SLICE_WRITES = 200;
const CHANGES_AT_ONCE = 64;
const NAME_BYTES_MAX = 4096;

type Plants = Pick<PlantRecords, "removeMany" | "change" | "findMany">;

/**
 * Undoes imports that are marked so, some plants at a time, each by an ordinary change or removal. How far it is, is stored
 * after each slice. A slice that was cut short, or that another process did too, is counted by whose events its plants have,
 * so nothing is done or counted twice.
 */
export class ImportUndoing {
  readonly job: Job = {
    name: "import-undo",
    intervalMs: 5000,
    firstDelayMs: 1000,
    exclusive: true,
    run: async ({ signal }) => {
      const marked = this.access.db.selectFrom("imports").select("id").where("undo_state", "=", "running");
      for (const { id } of await marked.execute()) await this.run(id, signal);
    },
  };
  readonly #running = new Set<string>();

  constructor(
    private readonly access: DatabaseAccess,
    private readonly plants: Plants,
  ) {}

  /** Undoes it while nobody waits. A run that fails is repeated by the job. */
  begin(id: string): void {
    this.run(id).catch(() => {});
  }

  async run(id: string, signal?: AbortSignal): Promise<void> {
    if (this.#running.has(id)) return;
    this.#running.add(id);
    try {
      for (let isLeft = true; isLeft; ) {
        signal?.throwIfAborted();
        const start = performance.now();
        isLeft = await retryIfChanged(() => this.#slice(id));
        // Others' requests pass between the slices.
        if (isLeft) await Bun.sleep(performance.now() - start);
      }
    } finally {
      this.#running.delete(id);
    }
  }

  /** Resolves with false at the end. */
  async #slice(id: string): Promise<boolean> {
    const { db, atomically } = this.access;
    const row = await db.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
    if (!row) return false;
    const { undo } = importFromRow(row);
    if (undo?.state !== "running") return false;
    const after = (await this.#mayStill(row, undo)) ? await this.#undone(row, undo) : stopped(undo);
    await atomically([keepingUndo(db, row, after)]);
    return after.state === "running";
  }

  /** Whether who asked for it may still change the store's plants. */
  async #mayStill({ account }: ImportRow, { by: { id: person } }: ImportUndo): Promise<boolean> {
    const { db } = this.access;
    const still = db
      .selectFrom("stores")
      .select("number")
      .where("number", "=", account)
      .where("suspended_at", "is", null);
    const found = await still
      .where(hasRole({ account, person }, rolesWith("change plants")))
      .where(sql<boolean>`EXISTS (SELECT 1 FROM people WHERE people.id = ${person} AND people.suspended_at IS NULL)`)
      .where(sql<boolean>`(NOT second_factor_required OR ${hasSecondFactor(person)})`)
      .executeTakeFirst();
    return found !== undefined;
  }

  async #undone(key: ImportKey, undo: ImportUndo): Promise<ImportUndo> {
    const read = () => importedPlants(this.access, key, undo.position, SLICE_WRITES);
    let plants = await read();
    for (let own = ofImport(plants); own.length > 0; own = ofImport(plants)) {
      await this.#putBack(key, own, { ...undo.by, importMark: undoMark(key.id) });
      plants = await read();
    }
    const last = plants.at(-1);
    if (!last) return { ...undo, state: "done" };
    const counted = plants.filter(({ isFirst }) => isFirst);
    const mine = counted.filter((plant) => plant.last === "undo");
    const others = counted.filter((plant) => plant.last === "other");
    const removed = mine.filter(({ plant }) => !plant).length;
    return {
      ...undo,
      position: last.number,
      removed: undo.removed + removed,
      restored: undo.restored + mine.length - removed,
      left: leftOf(undo.left, others),
      leftPlants: [...undo.leftPlants, ...(await this.#named(key, undo, others))],
    };
  }

  /** Removes what the import created, and gives others the texts that they had before. */
  async #putBack(key: ImportKey, own: readonly OwnPlant[], by: Doer): Promise<void> {
    const { account } = key;
    const created: OwnPlant[] = [];
    for (let at = 0; at < own.length; at += CHANGES_AT_ONCE) {
      const some = own.slice(at, at + CHANGES_AT_ONCE);
      await Promise.all(
        some.map(async (one) => {
          const before = one.plant.revision === 1 ? "none" : await textsBefore(this.access, key, one.id);
          if (before === "none") created.push(one);
          else if (before)
            await this.plants
              .change(account, one.id, patchTo(before), unchanged(one), undefined, by)
              .catch(refusedIsLeft);
        }),
      );
    }
    const removals = created.map(({ id, plant }) => ({ id, etag: entityTag(plant) }));
    if (removals.length > 0) await this.plants.removeMany(account, removals, undefined, by);
  }

  /** As many of those left as are kept by their names. */
  async #named(
    { account }: ImportKey,
    { leftPlants }: ImportUndo,
    others: readonly ImportedPlant[],
  ): Promise<LeftPlant[]> {
    const some = others.slice(0, LEFT_PLANTS_MAX - leftPlants.length);
    if (some.length === 0) return [];
    const ids = some.map(({ id }) => id);
    const found = await this.plants.findMany(account, ids, NAME_BYTES_MAX);
    return some.map((each, at) => {
      const name = found[at]?.name?.slice(0, LEFT_NAME_LENGTH_MAX).toWellFormed();
      return { id: each.id, name, reason: reasonOf(each) };
    });
  }
}

type OwnPlant = ImportedPlant & { readonly plant: PlantRevision };

/** Those that nobody has changed since, each once. */
function ofImport(plants: readonly ImportedPlant[]): OwnPlant[] {
  const own = plants.filter((each): each is OwnPlant => each.last === "import" && each.plant !== undefined);
  return [...new Map(own.map((each) => [each.id, each])).values()];
}

function unchanged({ plant }: OwnPlant) {
  return (now: PlantRevision) => {
    if (entityTag(now) !== entityTag(plant)) throw new Failure("precondition-failed", "");
  };
}

/** Somebody changed or removed the plant since it was read. It is read again. */
function refusedIsLeft(error: unknown): void {
  const isRefused =
    error instanceof Failure && (error.code === "precondition-failed" || error.code === "plant-unknown");
  if (!isRefused) throw error;
}

function reasonOf({ plant, number }: ImportedPlant): LeftReason {
  if (!plant) return "removed";
  return plant.number > number ? "replaced" : "changed";
}

function leftOf(left: ImportUndo["left"], others: readonly ImportedPlant[]): ImportUndo["left"] {
  const sum = { ...left };
  for (const each of others) sum[reasonOf(each)]++;
  return sum;
}

function stopped(undo: ImportUndo): ImportUndo {
  return { ...undo, state: "stopped" };
}
