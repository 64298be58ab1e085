import type { Observer } from "#core/observer.ts";
import type { DatabaseAccess } from "../database-access.ts";
import { Events } from "../events.ts";
import { asFailure } from "./errors.ts";
import { exact, type ReadConnection, type ReadStatement } from "./read-connection.ts";

/** The interval at which writes of other processes are looked for while there are listeners. */
const LOOK_EVERY_MS = 200;

export class SqliteEvents extends Events {
  readonly settled = undefined;
  /** The last number that was given out. */
  readonly #head: ReadStatement<{ number: bigint }, []>;
  /** Changes when another process has committed (https://www.sqlite.org/pragma.html#pragma_data_version). */
  readonly #dataVersion: ReadStatement<{ data_version: number }, []>;
  #versionSeen: number | undefined;

  constructor(
    database: ReadConnection,
    access: DatabaseAccess,
    private readonly observer: Observer,
  ) {
    super(access);
    this.#head = exact(database, "SELECT value AS number FROM counters WHERE name = 'plant_number'");
    this.#dataVersion = database.prepare("PRAGMA data_version");
  }

  committed(): void {
    if (this.hasListeners) this.#reported(() => this.wake(this.#last()));
  }

  async latest(): Promise<bigint> {
    return asFailure(() => this.#last());
  }

  recent(): Promise<bigint> {
    return this.latest();
  }

  protected startLooking(): void {
    this.#versionSeen = undefined;
    this.timer = setInterval(() => this.#reported(() => this.#wakeIfWritten()), LOOK_EVERY_MS);
    this.timer.unref();
  }

  #last(): bigint {
    return this.#head.get()?.number ?? 0n;
  }

  #wakeIfWritten(): void {
    const version = this.#dataVersion.get()?.data_version;
    if (version === this.#versionSeen) return;
    this.#versionSeen = version;
    this.wake(this.#last());
  }

  /** Listeners have asked for nothing that an error could answer: they are woken when the storage works again. */
  #reported(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#versionSeen = undefined;
      this.observer.failed("event-feed", error);
    }
  }
}
