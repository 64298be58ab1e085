/** A frame of the log holds a page of 4 KiB (https://www.sqlite.org/fileformat2.html, 4.1). */
const FRAME_BYTES = 24 + 4096;
const HELD_MIB_MAX = 256;
const HELD_FRAMES_MAX = Math.floor((HELD_MIB_MAX * 1024 * 1024) / FRAME_BYTES);
const LOOK_EVERY_MS = 250;

/** The present number of frames in the write-ahead log; undefined while the storage cannot tell. */
export type LogLength = () => number | undefined;

/**
 * Watches a snapshot that lasts. Nothing that is written after it can be used again until it is let go, so a reader
 * that takes its time would let the write-ahead log grow without bound. `end` is called once, with the reason.
 */
export function watchLogHeld(logLength: LogLength, end: (reason: string) => void): () => void {
  let start = logLength() ?? 0;
  const timer = setInterval(() => {
    const length = logLength() ?? start;
    // The log starts again from the front where all of it was in the file already.
    start = Math.min(start, length);
    if (length - start <= HELD_FRAMES_MAX) return;
    clearInterval(timer);
    end(`it held back the reuse of more than ${HELD_MIB_MAX} MiB of write-ahead log`);
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
