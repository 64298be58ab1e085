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
    this.#keep(number, account, KIND_CHANGED, after.updatedAt, after, before);
  }

  removed(account: AccountNumber, plant: Plant, number: number, now: number): void {
    this.#keepCreated(account, plant);
    this.#keep(number, account, KIND_REMOVED, now, plant);
  }

  #keepCreated(account: AccountNumber, plant: Plant): void {
    if (plant.revision === 1) this.#keep(plant.number, account, KIND_CREATED, plant.createdAt, plant);
  }

  #keep(
    number: bigint | number,
    account: AccountNumber,
    kind: number,
    at: number,
    plant: Plant,
    old?: Pick<Plant, "name" | "tag">,
  ): void {
    const texts = [plant.name, plant.tag ?? null, old?.name ?? null, old?.tag ?? null];
    this.#insert.run(number, account, kind, at, plant.id, ...texts, plant.createdAt, plant.updatedAt);
  }
}
