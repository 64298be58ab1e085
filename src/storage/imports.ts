import type { Selectable } from "kysely";
import type { Actor } from "#core/caller.ts";
import { actorFromStored, storedActor } from "#core/event-actor.ts";
import { Failure } from "#core/failure.ts";
import { type ImportUndo, importUnknown, newUndo, type PlantImport } from "#core/import.ts";
import { storeUnknown } from "#core/member.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { ImportRecords } from "#core/records.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import {
  type DatabaseAccess,
  ifUnchanged,
  lockingStore,
  type Queries,
  required,
  retryIfChanged,
} from "./database-access.ts";
import type { Schema } from "./schema.ts";

const IMPORTS = CREDENTIALS.row("imports that can be undone", "store", { each: 1000 }, "the oldest is forgotten");

/** The imports of pages. `begun` is called when there is one to undo. */
export function importRecords(
  access: DatabaseAccess,
  keepsEvents: boolean,
  begun: (id: string) => void,
): ImportRecords {
  const { db, atomically } = access;
  return {
    async begin(account, fileName, by) {
      if (!keepsEvents) throw new Failure("address-unknown", "Imports cannot be undone: no events are kept here");
      const id = `imp_${crypto.randomUUID().replaceAll("-", "")}`;
      const row = { id, account, at: Date.now(), actor: storedActor(by), file_name: fileName };
      const over = ofStore(db, account).select("id").orderBy("at", "desc").orderBy("id").offset(IMPORTS.each);
      await atomically([
        required(lockingStore(db, account), storeUnknown),
        db.insertInto("imports").values(row),
        db.deleteFrom("imports").where("id", "in", over.limit(IMPORTS.each)),
      ]);
      return id;
    },

    async requireOpen(account, id) {
      const { undo_state: state } = await foundIn(db, account, id, "address-malformed");
      if (state) throw new Failure("address-malformed", `The import ${id} is being undone, and takes no more plants`);
    },

    async count(account, id, { created, updated }) {
      const row = await ofStore(db, account).selectAll().where("id", "=", id).executeTakeFirst();
      if (!row) return;
      await db
        .updateTable("imports")
        .set(({ eb }) => ({ created: eb("created", "+", created), updated: eb("updated", "+", updated) }))
        .where("id", "=", id)
        .execute();
      const { undo } = importFromRow(row);
      if (!undo) return;
      // What this request wrote since is undone as well.
      await this.undo(account, id, undo.by);
      throw new Failure("address-malformed", `The import ${id} is being undone: no more of it is taken`);
    },

    async undo(account, id, by) {
      await retryIfChanged(async () => {
        const row = await foundIn(db, account, id);
        if (row.undo_state === "running") return;
        await atomically([keepingUndo(db, row, newUndo(by))]);
      });
      begun(id);
    },
  };
}

async function foundIn(db: Queries, account: AccountNumber, id: string, code?: "address-malformed") {
  const row = await ofStore(db, account).selectAll().where("id", "=", id).executeTakeFirst();
  if (row) return row;
  throw importUnknown(id, code);
}

export type ImportRow = Selectable<Schema["imports"]>;

/** Stores how far the undo is, unless another process has done so since the row was read. */
export function keepingUndo(db: Queries, { id, undo: before }: ImportRow, undo: ImportUndo) {
  const update = db
    .updateTable("imports")
    .set({ undo_state: undo.state, undo: storedUndo(undo) })
    .where("id", "=", id);
  return ifUnchanged(before === null ? update.where("undo", "is", null) : update.where("undo", "=", before));
}

export function ofStore(db: Queries, account: AccountNumber) {
  return db.selectFrom("imports").where("account", "=", account);
}

function storedUndo(undo: ImportUndo): string {
  return JSON.stringify(undo, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

export function importFromRow({ id, at, actor, file_name: fileName, created, updated, undo }: ImportRow): PlantImport {
  const by = actorFromStored(actor);
  const counts = { created: Number(created), updated: Number(updated) };
  return { id, at: Number(at), by, fileName, counts, undo: undo === null ? undefined : undoFromStored(undo) };
}

interface StoredUndo extends Omit<ImportUndo, "position" | "leftPlants"> {
  readonly by: Actor<"event">;
  readonly position: string;
  readonly leftPlants: readonly (Omit<ImportUndo["leftPlants"][number], "id"> & { readonly id: string })[];
}

function undoFromStored(text: string): ImportUndo {
  const { position, leftPlants, ...undo } = JSON.parse(text) as StoredUndo;
  return {
    ...undo,
    position: BigInt(position),
    leftPlants: leftPlants.map((plant) => ({ ...plant, id: BigInt(plant.id) })),
  };
}
