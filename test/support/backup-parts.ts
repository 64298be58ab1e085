import type { ManifestContent } from "#backup/manifest.ts";
import { newMark } from "#threads/process-mark.ts";

/** What the manifest of a plain backup says, with the given members. */
export function manifestContent(more: Partial<ManifestContent> = {}): ManifestContent {
  return {
    version: "1.0.0",
    schema: "0014",
    at: "2026-11-21T16:12:29.000Z",
    engine: "sqlite",
    plants: 70,
    accounts: 1,
    last_number: 71,
    bytes: 4096,
    sha256: { plain: "a".repeat(64), stored: "b".repeat(64) },
    compressed: 7,
    recipients: [],
    verified_at: null,
    database: undefined,
    ...more,
  };
}

export async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

/** Fails after a first chunk. */
export async function* failingChunks(): AsyncGenerator<Uint8Array, void> {
  yield* chunksOf("the first part");
  throw new Error("the source failed");
}

/** The mark of a file that another process of this machine has made. */
export const markOf = (pid: number): string => newMark().replace(`-${process.pid}-`, `-${pid}-`);
