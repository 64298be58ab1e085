import type { Destination } from "./destination.ts";
import { FolderDestination } from "./folder-destination.ts";
import { S3Destination, type S3Settings } from "./s3-destination.ts";

/** The destination that BACKUP_TO names: `s3://bucket/prefix`, or a folder. */
export function openDestination(address: string, s3: S3Settings): Destination {
  return address.startsWith("s3://") ? new S3Destination(address, s3) : new FolderDestination(address);
}
