/** Files that root has opened for a command that it runs as another user, by their paths, as JSON: numbers of descriptors. */
export const OPENED = "PLANTSTORE_OPENED";

/** What to read the file by: its path, or the descriptor that root has opened for this process. */
export function readable(path: string): string | number {
  return JSON.parse(process.env[OPENED] ?? "{}")[path] ?? path;
}
