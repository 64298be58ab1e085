import type { Chunks } from "./chunks.ts";
import { FolderDestination } from "./folder-destination.ts";
import { S3Destination, type S3Settings } from "./s3-destination.ts";

/** Where backups are kept: a folder or a bucket, with a flat list of files. */
export interface Destination {
  /** As a person names it; it holds no key. */
  readonly address: string;
  /** True if whoever keeps the files is somebody else, so that they should be encrypted. */
  readonly remote: boolean;
  /** The names of all files, sorted. */
  list(): Promise<string[]>;
  read(file: string): Promise<Chunks>;
  /** Resolves when the whole file is kept durably. Until then it is not in the list. Replaces a file of that name. */
  write(file: string, chunks: Chunks): Promise<void>;
  remove(file: string): Promise<void>;
  /** Removes what writes that were cut off long ago have left. */
  removeUnfinished(): Promise<void>;
}

/** The destination that BACKUP_TO names: `s3://bucket/prefix`, or a folder. */
export function openDestination(address: string, s3: S3Settings): Destination {
  return address.startsWith("s3://") ? new S3Destination(address, s3) : new FolderDestination(address);
}
