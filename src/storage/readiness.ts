import { Failure, markReported, storageUnavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";

/** More than a plant and what is written with it. */
export const ROOM_BYTES = 1024 * 1024;

interface Trial {
  /** The smallest write that has to reach the disk. */
  write(): Promise<unknown>;
  /** Rejects if there is no room for ROOM_BYTES. */
  room(): Promise<unknown>;
  isFull(error: unknown): boolean;
}

/**
 * The storage is ready if it has refused no write since a trial succeeded. After a write that was refused for want of
 * room the trial has to find room for ROOM_BYTES: on a full disk the smallest writes still fit now and then where a plant does
 * not, and a load balancer would swing between both.
 */
export class Readiness {
  #refusals = 0;
  #needsRoom = false;
  #trying: Promise<void> | undefined;

  constructor(
    private readonly observer: Pick<Observer, "storageWritable" | "diskFull">,
    private readonly trial: Trial,
  ) {}

  /** The storage refused a write with this error. */
  readonly refused = (error: unknown): void => {
    this.#refusals++;
    const cause = error instanceof Failure ? error.cause : error;
    if (this.trial.isFull(cause)) {
      if (!this.#needsRoom) this.observer.diskFull(cause instanceof Error ? cause.message : String(cause));
      this.#needsRoom = true;
      // Whatever else meets the full disk adds no line of its own.
      markReported(cause);
    }
    this.observer.storageWritable(false);
  };

  /** Resolves if the storage is ready; rejects with "unavailable" otherwise. Who asks meanwhile shares the trial. */
  readonly try = (): Promise<void> => {
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined;
    });
    return this.#trying;
  };

  async #try(): Promise<void> {
    const refusals = this.#refusals;
    try {
      await this.trial.write();
      if (this.#needsRoom) await this.trial.room();
    } catch (error) {
      this.refused(error);
      throw error;
    }
    if (this.#refusals > refusals) throw storageUnavailable();
    if (this.#needsRoom) this.observer.diskFull(undefined);
    this.#needsRoom = false;
    this.observer.storageWritable(true);
  }
}
