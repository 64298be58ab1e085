import { sql } from "kysely";
import type { EventStore, PlantEvent } from "#core/event.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { lastExpired } from "./event-reader.ts";
import { DERIVED, type EventRow, EXACT, eventFromRow, WRITTEN } from "./event-row.ts";

/** The maximum wait for a number to which everything is settled. */
const SETTLED_WAIT_MS_MAX = 2000;
const MARK_INTERVAL_MS = 3_600_000;
/** Rows removed at a time: few enough for the serving thread. */
const REMOVED_ROWS_MAX = 500;

/**
 * The feed of changes as both engines have it. They differ in how far it may be read, and how they notice writes. For
 * retention, `number_marks` has the last number of each hour; the number at the time 0 is the last whose event is no
 * longer stored, and the greatest of all while the feed is off.
 */
export abstract class Events implements EventStore {
  readonly #listeners = new Set<(until: bigint) => void>();
  /** The next look for writes; undefined while nobody listens. */
  protected timer: Timer | undefined;

  constructor(private readonly access: DatabaseAccess) {}

  abstract readonly settled: bigint | undefined;
  abstract latest(waitMsMax?: number): Promise<bigint>;
  abstract recent(): Promise<bigint>;
  /** Looks for writes from now on, by `timer`. */
  protected abstract startLooking(): void;

  async find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    const here = sql`account = ${account} AND number = ${number}`;
    const event = sql<EventRow>`(SELECT ${sql.raw(EXACT)} FROM (
      SELECT ${sql.raw(WRITTEN)} FROM plant_events WHERE ${here}
      UNION ALL SELECT ${sql.raw(DERIVED)} FROM plants WHERE ${here} AND revision = 1) AS found
      WHERE number > (SELECT number FROM number_marks WHERE at = 0))`;
    const row = await this.access.db.selectFrom(event.as("event")).selectAll().executeTakeFirst();
    return row && eventFromRow(row);
  }

  oldest(): Promise<bigint> {
    return lastExpired(this.access.db);
  }

  async touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    const { db, engine } = this.access;
    const given =
      engine === "sqlite"
        ? sql<{ account: number }>`(SELECT value AS account FROM json_each(${JSON.stringify(accounts)}))`
        : sql<{ account: number }>`(SELECT unnest(${accounts}::bigint[]) AS account)`;
    const of = sql`account = given.account AND number > ${after} AND number <= ${until}`;
    const isTouched = sql<boolean>`(EXISTS (SELECT 1 FROM plants WHERE ${of}) OR EXISTS (SELECT 1 FROM plant_events WHERE ${of}))`;
    const rows = await db.selectFrom(given.as("given")).select("account").where(isTouched).execute();
    return rows.map(({ account }) => account);
  }

  async expire(now: number, keptMs: number): Promise<boolean> {
    const { db, atomically } = this.access;
    await this.#note(now, await this.latest(SETTLED_WAIT_MS_MAX));
    const marks = db.selectFrom("number_marks").select("at").where("at", ">", 0);
    const due = await marks
      .where("at", "<=", now - keptMs)
      .orderBy("at", "desc")
      .executeTakeFirst();
    if (due) {
      const number = sql`(SELECT number FROM number_marks WHERE at = ${due.at})`;
      const forward = sql`UPDATE number_marks SET number = ${number} WHERE at = 0 AND number < ${number}`;
      const forget = db.deleteFrom("number_marks").where("at", ">", 0).where("at", "<=", due.at);
      await atomically([forward.compile(db), forget]);
    }
    const expired = sql<string>`${await this.oldest()}`;
    const some = db.selectFrom("plant_events").select("number").where("number", "<=", expired).orderBy("number");
    const slice = db.deleteFrom("plant_events").where("number", "in", some.limit(REMOVED_ROWS_MAX));
    return Number((await slice.executeTakeFirst()).numDeletedRows) === REMOVED_ROWS_MAX;
  }

  async turn(on: boolean): Promise<void> {
    if (on !== ((await this.oldest()) === INT64_MAX)) return;
    const number = on ? await this.latest(SETTLED_WAIT_MS_MAX) : INT64_MAX;
    await this.access.db.updateTable("number_marks").set({ number }).where("at", "=", 0).execute();
  }

  /** Removes the events of a removed account, in slices, so that creates pass between them. */
  async removeAll(account: AccountNumber): Promise<void> {
    const { db } = this.access;
    const some = db.selectFrom("plant_events").select("number").where("account", "=", account).limit(REMOVED_ROWS_MAX);
    const slice = db.deleteFrom("plant_events").where("account", "=", account).where("number", "in", some);
    while ((await slice.executeTakeFirst()).numDeletedRows > 0n);
  }

  listen(wake: (until: bigint) => void): () => void {
    this.#listeners.add(wake);
    if (this.timer === undefined) this.startLooking();
    return () => {
      this.#listeners.delete(wake);
      if (!this.hasListeners) this.close();
    };
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  protected get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  protected wake(until: bigint): void {
    for (const wake of this.#listeners) wake(until);
  }

  async #note(now: number, head: bigint): Promise<void> {
    const { db } = this.access;
    // Marks of the future are of a clock that was set back since: until then nothing else would be noted.
    await db.deleteFrom("number_marks").where("at", ">", now).execute();
    const last = db.selectFrom("number_marks").select((row) => row.fn.max("at").as("at"));
    const { at } = (await last.executeTakeFirst()) ?? {};
    if (at !== undefined && now - at < MARK_INTERVAL_MS) return;
    const insert = db.insertInto("number_marks").values({ at: now, number: head });
    await insert.onConflict((conflict) => conflict.doNothing()).execute();
  }
}
