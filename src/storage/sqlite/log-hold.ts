import { WRITE_AHEAD_LOG } from "#load/limit-groups.ts";

/** Bounds the log that an open snapshot keeps from being reused. */
export const LOG_HELD = WRITE_AHEAD_LOG.row(
  "log that a snapshot holds",
  "export",
  { each: 256 * 1024 * 1024, unit: "bytes" },
  "cut",
);

/**
 * Watches snapshots that last. Nothing that is written after one can be used again until it is let go, so a reader that
 * takes its time would let the write-ahead log grow without bound.
 */
export class LogHold {
  readonly #timers = new Set<Timer>();

  /** `logBytes` gives the present size of the write-ahead log; undefined while the storage cannot tell. */
  constructor(private readonly logBytes: () => number | undefined) {}

  /** `end` is called once, with the reason, if the snapshot is to be let go. The returned function ends the watch. */
  watch(end: (reason: string) => void): () => void {
    let start = this.logBytes() ?? 0;
    const stop = () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    };
    const timer = setInterval(() => {
      const bytes = this.logBytes() ?? start;
      // The log starts again from the front where all of it was in the file already.
      start = Math.min(start, bytes);
      if (bytes - start <= LOG_HELD.each) return;
      stop();
      end(`it held back the reuse of more than ${LOG_HELD.each / 1024 / 1024} MiB of write-ahead log`);
    }, 250);
    this.#timers.add(timer);
    return stop;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
