import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Chunks } from "./chunks.ts";
import type { Destination } from "./destination.ts";

const UNFINISHED = ".unfinished";
/** No write takes that long, so the process that made such a file has ended. */
const UNFINISHED_MS_MAX = 24 * 3600 * 1000;
const READ_BYTES = 1024 * 1024;

/** A folder. It should be on another disk than the database, so that it survives the loss of that disk. */
export class FolderDestination implements Destination {
  readonly address: string;
  readonly remote = false;

  constructor(folder: string) {
    this.address = resolve(folder);
  }

  async exists(): Promise<boolean> {
    const found = await stat(this.address).catch((error) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      throw error;
    });
    return found?.isDirectory() ?? false;
  }

  async list(): Promise<string[]> {
    const names = await readdir(this.address).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.filter((name) => !name.endsWith(UNFINISHED)).sort();
  }

  async read(file: string): Promise<Chunks> {
    const path = this.#path(file);
    await stat(path);
    return createReadStream(path, { highWaterMark: READ_BYTES });
  }

  async write(file: string, chunks: Chunks): Promise<void> {
    await mkdir(this.address, { recursive: true, mode: 0o700 });
    const draft = `${this.#path(file)}${UNFINISHED}`;
    try {
      await writeDurably(draft, chunks);
      await rename(draft, this.#path(file));
      await syncFolder(this.address);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async remove(file: string): Promise<void> {
    await rm(this.#path(file), { force: true });
    await syncFolder(this.address);
  }

  async removeUnfinished(): Promise<void> {
    for (const name of await readdir(this.address)) {
      if (!name.endsWith(UNFINISHED)) continue;
      const { mtimeMs } = await stat(this.#path(name));
      if (Date.now() - mtimeMs > UNFINISHED_MS_MAX) await this.remove(name);
    }
  }

  #path(file: string): string {
    return join(this.address, file);
  }
}

/** Writes the file, readable by its owner alone, and resolves when it is on disk. */
export async function writeDurably(path: string, chunks: Chunks): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Resolves when the names in the folder are on disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
