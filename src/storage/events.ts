import { type RawBuilder, sql } from "kysely";
import { HOUR_MS } from "#core/duration.ts";
import type { EventRecords, PlantEvent } from "#core/event.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { type DatabaseAccess, REMOVED_ROWS_MAX, removeSome } from "./database-access.ts";
import { findEvent, lastExpired } from "./event-reader.ts";
import type { FeedHorizon, FeedWatch } from "./feed-watch.ts";

/**
 * The maximum wait of a reader for a transaction that holds the horizon back. After it, the reader gets the settled
 * events.
 */
const WAIT_MS_MAX = 2000;
/** "From now on" is right only once the horizon has moved, so this wait is longer. */
const LATEST_WAIT_MS_MAX = 5000;
/** The maximum age of the answer of `recent`, and its maximum wait for a newer one. */
const RECENT_MS = 1000;
const RECENT_WAIT_MS_MAX = 50;
const MARK_INTERVAL_MS = HOUR_MS;

/** Runs a read when it is the account's turn. */
type InTurn = <T>(account: AccountNumber, read: () => Promise<T>) => Promise<T>;

/**
 * The feed of changes. The engines differ in how far it may be read. For retention, `number_marks` has the last number of
 * each hour; the number at the time 0 is the last whose event is no longer stored, and the greatest of all while the feed
 * is off.
 */
export class Events implements EventRecords {
  /** No store with a smaller number has expired events. */
  #removedBefore: AccountNumber = 0;

  constructor(
    private readonly access: DatabaseAccess,
    private readonly horizon: FeedHorizon,
    private readonly watch: FeedWatch,
    private readonly inTurn: InTurn = (_, read) => read(),
  ) {}

  get settled(): bigint | undefined {
    return this.horizon.settled;
  }

  latest(waitMsMax = LATEST_WAIT_MS_MAX): Promise<bigint> {
    return this.horizon.refresh(waitMsMax);
  }

  async recent(): Promise<bigint> {
    const { settled, settledAt } = this.horizon;
    if (!settled) return this.horizon.refresh(WAIT_MS_MAX);
    if (performance.now() - settledAt <= RECENT_MS) return settled;
    // A horizon that is held back must not delay every list; an older one is just as correct.
    await Promise.race([this.horizon.refresh(WAIT_MS_MAX), Bun.sleep(RECENT_WAIT_MS_MAX)]);
    return this.horizon.settled ?? settled;
  }

  find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    return this.inTurn(account, () => findEvent(this.access.db, account, number));
  }

  oldest(): Promise<bigint> {
    return lastExpired(this.access.db);
  }

  async accountsWithEvents(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    const { db, engine } = this.access;
    const given =
      engine === "sqlite"
        ? sql<{ account: number }>`(SELECT value AS account FROM json_each(${JSON.stringify(accounts)}))`
        : sql<{ account: number }>`(SELECT unnest(${accounts}::bigint[]) AS account)`;
    const of = sql`account = given.account AND number > ${after} AND number <= ${until}`;
    const hasEvents = sql<boolean>`(EXISTS (SELECT 1 FROM plants WHERE ${of}) OR EXISTS (SELECT 1 FROM plant_events WHERE ${of}))`;
    const rows = await db.selectFrom(given.as("given")).select("account").where(hasEvents).execute();
    return rows.map(({ account }) => account);
  }

  async expire(now: number, keptMs: number): Promise<boolean> {
    const { db, atomically } = this.access;
    await this.#note(now, await this.latest(WAIT_MS_MAX));
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
    // An import goes before its events, without which it could not be undone.
    const moreImports = await removeSome(this.access, "imports", ["id"], sql`at <= ${now - keptMs}`);
    const over = sql`number <= ${await this.oldest()}`;
    const moreActors = await removeSome(this.access, "plant_event_actors", ["number"], over);
    return (await this.#removeSome(over)) || moreActors || moreImports;
  }

  /** Resolves with true if there may be more. PostgreSQL has them by store alone, so there it goes on where it was. */
  async #removeSome(over: RawBuilder<unknown>): Promise<boolean> {
    if (this.access.engine === "sqlite") return removeSome(this.access, "plant_events", ["number"], over);
    const some = sql.lit(REMOVED_ROWS_MAX);
    const { rows } = await sql<{ account: AccountNumber }>`DELETE FROM plant_events USING (
      SELECT event.* FROM stores CROSS JOIN LATERAL (
        SELECT account, number FROM plant_events WHERE account = stores.number AND ${over} ORDER BY number LIMIT ${some}
      ) AS event WHERE stores.number >= ${this.#removedBefore} ORDER BY stores.number LIMIT ${some}
    ) AS event WHERE plant_events.account = event.account AND plant_events.number = event.number
    RETURNING plant_events.account`.execute(this.access.db);
    const isMore = rows.length === REMOVED_ROWS_MAX;
    this.#removedBefore = isMore ? Math.max(...rows.map(({ account }) => account)) : 0;
    return isMore;
  }

  async turn(on: boolean): Promise<void> {
    if (on !== ((await this.oldest()) === INT64_MAX)) return;
    const number = on ? await this.latest(WAIT_MS_MAX) : INT64_MAX;
    await this.access.db.updateTable("number_marks").set({ number }).where("at", "=", 0).execute();
  }

  listen(wake: (until: bigint) => void): () => void {
    return this.watch.listen(wake);
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
