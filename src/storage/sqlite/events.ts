import type { EventStore, PlantEvent } from "#core/event.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventMarks } from "../event-marks.ts";
import { asFailure } from "./errors.ts";
import { SqliteEventReader } from "./event-reader.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";

/** The interval at which writes of other processes are looked for while there are listeners. */
const LOOK_EVERY_MS = 200;

export class SqliteEvents implements EventStore {
  readonly settled = undefined;
  readonly #reader: SqliteEventReader;
  readonly #marks: EventMarks;
  /** Changes when another process has committed (https://www.sqlite.org/pragma.html#pragma_data_version). */
  readonly #dataVersion: ReadStatement<{ data_version: number }, []>;
  readonly #observer: Observer;
  readonly #listeners = new Set<(until: bigint) => void>();
  #timer: Timer | undefined;
  #versionSeen: number | undefined;

  constructor(database: ReadConnection, marks: EventMarks, observer: Observer) {
    this.#observer = observer;
    this.#reader = new SqliteEventReader(database);
    this.#marks = marks;
    this.#dataVersion = database.prepare("PRAGMA data_version");
  }

  /** Called after each commit of this process. */
  committed(): void {
    if (this.#listeners.size > 0) this.#reported(() => this.#wake());
  }

  async find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    return asFailure(() => this.#reader.find(account, number));
  }

  async oldest(): Promise<bigint> {
    return asFailure(() => this.#reader.expired());
  }

  async latest(): Promise<bigint> {
    return asFailure(() => this.#reader.head());
  }

  recent(): Promise<bigint> {
    return this.latest();
  }

  async touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    return asFailure(() => this.#reader.touched(accounts, after, until));
  }

  listen(wake: (until: bigint) => void): () => void {
    this.#listeners.add(wake);
    if (!this.#timer) {
      this.#versionSeen = undefined;
      this.#timer = setInterval(() => this.#reported(() => this.#look()), LOOK_EVERY_MS);
      this.#timer.unref();
    }
    return () => {
      this.#listeners.delete(wake);
      if (this.#listeners.size === 0) this.close();
    };
  }

  async expire(now: number, keptMs: number): Promise<boolean> {
    return this.#marks.expire(now, keptMs, await this.latest());
  }

  async turn(on: boolean): Promise<void> {
    await this.#marks.turn(on, await this.latest());
  }

  removeAll(account: AccountNumber): Promise<void> {
    return this.#marks.removeAll(account);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const version = this.#dataVersion.get()?.data_version;
    if (version === this.#versionSeen) return;
    this.#versionSeen = version;
    this.#wake();
  }

  #wake(): void {
    const head = this.#reader.head();
    for (const wake of this.#listeners) wake(head);
  }

  /** Listeners have asked for nothing that an error could answer: they are woken when the storage works again. */
  #reported(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#versionSeen = undefined;
      this.#observer.failed("event-feed", error);
    }
  }
}
