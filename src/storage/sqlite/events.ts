import type { EventPage, EventQuery, EventStore, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventMarks } from "../event-marks.ts";
import { toFailure } from "./errors.ts";
import { SqliteEventReader } from "./event-reader.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";

/** The interval at which writes of other processes are looked for while there are listeners. */
const LOOK_EVERY_MS = 200;

export class SqliteEvents implements EventStore {
  readonly #reader: SqliteEventReader;
  readonly #marks: EventMarks;
  /** Changes when another process has committed (https://www.sqlite.org/pragma.html#pragma_data_version). */
  readonly #dataVersion: ReadStatement<{ data_version: number }, []>;
  readonly #listeners = new Set<(until: bigint) => void>();
  #timer: Timer | undefined;
  #versionSeen: number | undefined;

  constructor(database: ReadConnection, marks: EventMarks) {
    this.#reader = new SqliteEventReader(database);
    this.#marks = marks;
    this.#dataVersion = database.prepare("PRAGMA data_version");
  }

  /** Called after each commit of this process. */
  committed(): void {
    if (this.#listeners.size > 0) this.#wake();
  }

  async read(account: AccountNumber, query: EventQuery): Promise<EventPage> {
    try {
      return await this.#reader.read(account, query);
    } catch (error) {
      throw toFailure(error);
    }
  }

  async find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    return this.#try(() => this.#reader.find(account, number));
  }

  async stepBack(account: AccountNumber, until: bigint, rows: number): Promise<bigint> {
    return this.#try(() => this.#reader.stepBack(account, until, rows));
  }

  async oldest(): Promise<bigint> {
    return this.#try(() => this.#reader.expired());
  }

  async latest(): Promise<bigint> {
    return this.#try(() => this.#reader.head());
  }

  recent(): Promise<bigint> {
    return this.latest();
  }

  async touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    return this.#try(() => this.#reader.touched(accounts, after, until));
  }

  listen(wake: (until: bigint) => void): () => void {
    this.#listeners.add(wake);
    if (!this.#timer) {
      this.#versionSeen = this.#version();
      this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
      this.#timer.unref();
    }
    return () => {
      this.#listeners.delete(wake);
      if (this.#listeners.size === 0) this.close();
    };
  }

  expire(now: number, keptMs: number): Promise<boolean> {
    return this.#marks.expire(now, keptMs, this.#reader.head());
  }

  turn(on: boolean): Promise<void> {
    return this.#marks.turn(on, this.#reader.head());
  }

  removeAll(account: AccountNumber): Promise<void> {
    return this.#marks.removeAll(account);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const version = this.#version();
    if (version === this.#versionSeen) return;
    this.#versionSeen = version;
    this.#wake();
  }

  #version(): number | undefined {
    return this.#dataVersion.get()?.data_version;
  }

  #wake(): void {
    const head = this.#reader.head();
    for (const wake of this.#listeners) wake(head);
  }

  #try<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw toFailure(error);
    }
  }
}
