import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { KIND_CHANGED, KIND_CREATED, KIND_REMOVED } from "../event-row.ts";

/**
 * Writes the events of changes and removals, inside the committer's transaction. A plant at revision 1 has no row for
 * its creation; that row is stored here, under the plant's number, before the plant changes.
 */
export class EventWriter {
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare("INSERT INTO plant_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  }

  /** `number` is the number of the change itself. */
  changed(account: AccountNumber, before: Plant, after: Plant, number: number): void {
    this.#keepCreated(account, before);
    const { id, name, tag = null, createdAt, updatedAt } = after;
    this.#insert.run(
      number,
      account,
      KIND_CHANGED,
      updatedAt,
      id,
      name,
      tag,
      before.name,
      before.tag ?? null,
      createdAt,
      updatedAt,
    );
  }

  removed(account: AccountNumber, plant: Plant, number: number, now: number): void {
    this.#keepCreated(account, plant);
    const { id, name, tag = null, createdAt, updatedAt } = plant;
    this.#insert.run(number, account, KIND_REMOVED, now, id, name, tag, null, null, createdAt, updatedAt);
  }

  #keepCreated(account: AccountNumber, plant: Plant): void {
    if (plant.revision > 1) return;
    const { number, id, name, tag = null, createdAt } = plant;
    this.#insert.run(number, account, KIND_CREATED, createdAt, id, name, tag, null, null, createdAt, createdAt);
  }
}
