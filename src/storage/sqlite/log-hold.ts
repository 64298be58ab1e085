/** A frame of the log holds a page of 4 KiB (https://www.sqlite.org/fileformat2.html, 4.1). */
const FRAME_BYTES = 24 + 4096;
const HELD_MIB_MAX = 256;
const HELD_FRAMES_MAX = Math.floor((HELD_MIB_MAX * 1024 * 1024) / FRAME_BYTES);
const LOOK_EVERY_MS = 250;

/** The present number of frames in the write-ahead log; undefined while the storage cannot tell. */
type LogLength = () => number | undefined;

/**
 * Watches snapshots that last. Nothing that is written after one can be used again until it is let go, so a reader that
 * takes its time would let the write-ahead log grow without bound.
 */
export class LogHold {
  readonly #logLength: LogLength;
  readonly #timers = new Set<Timer>();

  constructor(logLength: LogLength) {
    this.#logLength = logLength;
  }

  /** `end` is called once, with the reason, if the snapshot is to be let go. The returned function ends the watch. */
  watch(end: (reason: string) => void): () => void {
    let start = this.#logLength() ?? 0;
    const stop = () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    };
    const timer = setInterval(() => {
      const length = this.#logLength() ?? start;
      // The log starts again from the front where all of it was in the file already.
      start = Math.min(start, length);
      if (length - start <= HELD_FRAMES_MAX) return;
      stop();
      end(`it held back the reuse of more than ${HELD_MIB_MAX} MiB of write-ahead log`);
    }, LOOK_EVERY_MS);
    this.#timers.add(timer);
    return stop;
  }

  /** Ends every watch. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
