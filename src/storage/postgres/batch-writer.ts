import type { LentConnection } from "./pool.ts";

/** The statements of one kind of write. */
export interface BatchWriter<Write> {
  /**
   * Writes a batch by the deadline. Resolves once it is on disk, with the function that answers the caller of the write at
   * that place, and returns what is left of that write, to be written again.
   */
  write(client: LentConnection, batch: readonly Write[], deadline: number): Promise<(at: number) => Write | undefined>;
}
