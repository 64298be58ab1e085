import { contentFile, manifestFile, nameOfManifest, nameWithoutExtension } from "./backup-name.ts";
import type { Destination } from "./destination.ts";
import { type Backup, DamagedBackup, type ManifestContent, readManifest, writeManifest } from "./manifest.ts";

/** A longer file cannot be a manifest. */
const MANIFEST_BYTES_MAX = 64 * 1024;

/** There is no backup with that name. */
class UnknownBackup extends Error {}

export interface Catalogue {
  /** Sorted, the oldest first. */
  readonly backups: readonly Backup[];
  /** The names of the backups whose manifest is damaged. */
  readonly damaged: readonly string[];
}

export async function readCatalogue(destination: Destination): Promise<Catalogue> {
  const backups: Backup[] = [];
  const damaged: string[] = [];
  for (const name of await names(destination)) {
    try {
      backups.push(await readBackup(destination, name));
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error;
      damaged.push(name);
    }
  }
  return { backups, damaged };
}

/** Finds a backup by its name, the name of one of its files, or `latest`. Throws UnknownBackup or DamagedBackup. */
export async function findBackup(destination: Destination, given: string): Promise<Backup> {
  const known = await names(destination);
  const name = given === "latest" ? known.at(-1) : known.find((one) => one === nameWithoutExtension(given));
  if (name) return readBackup(destination, name);
  throw new UnknownBackup(`There is no backup ${given === "latest" ? "" : `${given} `}in ${destination.address}`);
}

/** Writes the manifest, which makes its file a backup. */
export async function keepManifest(destination: Destination, name: string, content: ManifestContent): Promise<Backup> {
  const text = writeManifest(content);
  await destination.write(manifestFile(name), inOneChunk(text));
  return { name, manifest: readManifest(name, text) };
}

export function markVerified(destination: Destination, { name, manifest }: Backup, at: Date): Promise<Backup> {
  return keepManifest(destination, name, { ...manifest, verified_at: at.toISOString() });
}

/** The manifest is removed first: the file that a killed process then leaves is not a backup. */
export async function removeBackup(destination: Destination, backup: Backup): Promise<void> {
  await destination.remove(manifestFile(backup.name));
  await destination.remove(contentFile(backup.name, backup.manifest.recipients));
}

async function names(destination: Destination): Promise<string[]> {
  const files = await destination.list();
  return files.map(nameOfManifest).filter((name) => name !== undefined);
}

async function readBackup(destination: Destination, name: string): Promise<Backup> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await destination.read(manifestFile(name))) {
    bytes += chunk.length;
    if (bytes > MANIFEST_BYTES_MAX) throw new DamagedBackup(`${manifestFile(name)} is damaged`);
    chunks.push(chunk);
  }
  return { name, manifest: readManifest(name, Buffer.concat(chunks).toString()) };
}

async function* inOneChunk(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}
