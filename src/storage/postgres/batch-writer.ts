import type { LentConnection } from "./pool.ts";

/** The statements of one kind of write. */
export interface BatchWriter<Write> {
  /**
   * Writes a batch by the deadline. Once it is on disk, resolves with a function that settles the write at that place in the
   * batch: it answers the write's caller, or returns what is left of the write, to be written again.
   */
  write(client: LentConnection, batch: readonly Write[], deadline: number): Promise<(at: number) => Write | undefined>;
}
