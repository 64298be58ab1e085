/** The content of a file, chunk by chunk. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The destination of backups: a folder or a bucket, with a flat list of files. Several processes, also of several
 * machines, may use it at once. An act that finds no answer in time is an error.
 */
export interface Destination {
  /** The address for messages; it holds no key. */
  readonly address: string;
  /** True if somebody else stores the files, so that they should be encrypted. */
  readonly remote: boolean;
  /** False for a folder that was never made. A prefix of a bucket exists without any file. */
  exists(): Promise<boolean>;
  /** The names of all files that begin so, sorted. It has every file whose write resolved before. */
  list(prefix?: string): Promise<string[]>;
  /** The same with the size of each in bytes. */
  sizes(prefix?: string): Promise<ReadonlyMap<string, number>>;
  read(file: string): Promise<Chunks>;
  /** Resolves when the whole file is stored durably; only then is it in the list. Replaces a file of the same name. */
  write(file: string, chunks: Chunks): Promise<void>;
  remove(file: string): Promise<void>;
  /** Removes the remains of writes whose process has ended. */
  removeUnfinished(): Promise<void>;
}
