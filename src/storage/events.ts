import type { EventStore, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { EventMarks, lastExpired } from "./event-marks.ts";
import { findEvent, touchedAccounts } from "./event-reader.ts";

/** The maximum wait for a number to which everything is settled. */
const SETTLED_WAIT_MS_MAX = 2000;

/** The feed of changes as both engines have it. They differ in how far it may be read, and how they notice writes. */
export abstract class Events implements EventStore {
  readonly #marks: EventMarks;
  readonly #listeners = new Set<(until: bigint) => void>();
  /** The next look for writes; undefined while nobody listens. */
  protected timer: Timer | undefined;

  constructor(private readonly access: DatabaseAccess) {
    this.#marks = new EventMarks(access.db, access.atomically);
  }

  abstract readonly settled: bigint | undefined;
  abstract latest(waitMsMax?: number): Promise<bigint>;
  abstract recent(): Promise<bigint>;
  /** Looks for writes from now on, by `timer`. */
  protected abstract startLooking(): void;

  find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    return findEvent(this.access.db, account, number);
  }

  oldest(): Promise<bigint> {
    return lastExpired(this.access.db);
  }

  touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    return touchedAccounts(this.access, accounts, after, until);
  }

  async expire(now: number, keptMs: number): Promise<boolean> {
    return this.#marks.expire(now, keptMs, await this.latest(SETTLED_WAIT_MS_MAX));
  }

  async turn(on: boolean): Promise<void> {
    await this.#marks.turn(on, await this.latest(SETTLED_WAIT_MS_MAX));
  }

  removeAll(account: AccountNumber): Promise<void> {
    return this.#marks.removeAll(account);
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
}
