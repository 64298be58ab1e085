import { sql } from "kysely";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Atomically } from "./atomically.ts";
import type { Queries } from "./queries.ts";

const MARK_INTERVAL_MS = 3_600_000;
/** Rows removed at a time: few enough for the serving thread. */
const REMOVED_ROWS_MAX = 500;
/** The key of the mark up to which events are no longer stored. */
const EXPIRED = 0;

/** The retention of events on either engine: marks of the last number at a time, and the removal of older events. */
export class EventMarks {
  constructor(
    private readonly db: Queries,
    private readonly atomically: Atomically,
  ) {}

  expired(): Promise<bigint> {
    return lastExpired(this.db);
  }

  /** `head` is the last number that was given out. Resolves with true while there is more to remove. */
  async expire(now: number, keptMs: number, head: bigint): Promise<boolean> {
    await this.#note(now, head);
    const due = this.db
      .selectFrom("number_marks")
      .select(["at", decimal("number")])
      .where("at", ">", EXPIRED);
    const mark = await due
      .where("at", "<=", now - keptMs)
      .orderBy("at", "desc")
      .executeTakeFirst();
    if (mark) await this.#moveTo(BigInt(mark.number), mark.at);
    return this.#removeRows(await this.expired());
  }

  /** While the feed is off, every event counts as expired. */
  async turn(on: boolean, head: bigint): Promise<void> {
    const expired = await this.expired();
    if (on !== (expired === INT64_MAX)) return;
    const number = on ? head : INT64_MAX;
    await this.db.updateTable("number_marks").set({ number }).where("at", "=", EXPIRED).execute();
  }

  /** Removes the events of a removed account, in slices, so that creates pass between them. */
  async removeAll(account: AccountNumber): Promise<void> {
    const some = this.db.selectFrom("plant_events").select("number").where("account", "=", account);
    const remove = this.db.deleteFrom("plant_events").where("account", "=", account);
    const slice = remove.where("number", "in", some.limit(REMOVED_ROWS_MAX));
    while ((await slice.executeTakeFirst()).numDeletedRows > 0n);
  }

  async #note(now: number, head: bigint): Promise<void> {
    // Marks of the future are of a clock that was set back since: until then nothing else would be noted.
    await this.db.deleteFrom("number_marks").where("at", ">", now).execute();
    const last = this.db.selectFrom("number_marks").select((row) => row.fn.max("at").as("at"));
    const { at } = (await last.executeTakeFirst()) ?? {};
    if (at !== undefined && now - at < MARK_INTERVAL_MS) return;
    const insert = this.db.insertInto("number_marks").values({ at: now, number: head });
    await insert.onConflict((conflict) => conflict.doNothing()).execute();
  }

  /** Moves the mark forward, never back. */
  async #moveTo(number: bigint, at: number): Promise<void> {
    const move = this.db.updateTable("number_marks").set({ number }).where("at", "=", EXPIRED);
    const forget = this.db.deleteFrom("number_marks").where("at", ">", EXPIRED).where("at", "<=", at);
    await this.atomically([move.where("number", "<", sql<string>`${number}`).compile(), forget.compile()]);
  }

  async #removeRows(expired: bigint): Promise<boolean> {
    const upTo = sql<string>`${expired}`;
    const some = this.db.selectFrom("plant_events").select("number").where("number", "<=", upTo);
    const slice = some.orderBy("number").limit(REMOVED_ROWS_MAX);
    const { numDeletedRows } = await this.db.deleteFrom("plant_events").where("number", "in", slice).executeTakeFirst();
    return Number(numDeletedRows) === REMOVED_ROWS_MAX;
  }
}

/** The last number whose event is no longer stored. */
export async function lastExpired(db: Queries): Promise<bigint> {
  const mark = db.selectFrom("number_marks").select(decimal("number")).where("at", "=", EXPIRED);
  return BigInt((await mark.executeTakeFirst())?.number ?? 0);
}

/** An int64 as text, since neither driver returns it exactly. */
function decimal<Column extends string>(column: Column) {
  return sql<string>`CAST(${sql.ref(column)} AS text)`.as(column);
}
