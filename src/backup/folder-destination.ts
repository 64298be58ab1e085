import { constants, type Dirent } from "node:fs";
import { mkdir, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CannotWrite, replaceFileBy, syncFolder } from "#files/replace-file.ts";
import { newMark } from "#threads/process-mark.ts";
import type { Chunks, Destination } from "./destination.ts";
import { removeAbandoned, withTemporary } from "./remains.ts";

const UNFINISHED = ".unfinished";
const FOLDER_TRIES_MAX = 8;

/** A folder. It should be on another disk than the database, so that it survives the loss of that disk. */
export class FolderDestination implements Destination {
  readonly address: string;
  readonly remote = false;
  /** True if this process made it: then it goes with the last of its files. */
  #isNew = false;

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

  async list(prefix = ""): Promise<string[]> {
    const entries = await readdir(this.address, { withFileTypes: true }).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    const named = entries.filter(({ name }) => name.startsWith(prefix) && !name.endsWith(UNFINISHED));
    const files = await Promise.all(named.map(async (entry) => entry.isFile() || (await this.#isLinkToFile(entry))));
    return named.flatMap(({ name }, at) => (files[at] ? [name] : [])).sort();
  }

  async sizes(prefix = ""): Promise<ReadonlyMap<string, number>> {
    const names = await this.list(prefix);
    // One that has just been removed is not there.
    const found = names.map(async (name) => [name, await stat(this.#path(name)).catch(() => undefined)] as const);
    return new Map((await Promise.all(found)).flatMap(([name, state]) => (state ? [[name, state.size]] : [])));
  }

  async read(file: string): Promise<Chunks> {
    const path = this.#path(file);
    // O_NONBLOCK: opening a FIFO without a writer would block for ever.
    const found = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await found.stat()).isFile()) return found.createReadStream({ highWaterMark: 1024 * 1024 });
    await found.close();
    throw new Error(`${path} is not a regular file`);
  }

  async write(file: string, chunks: Chunks): Promise<void> {
    const path = this.#path(file);
    const draft = `${path}.${newMark()}${UNFINISHED}`;
    await withTemporary(draft, () => this.#inFolder(() => replaceFileBy(path, chunks, { draft })));
  }

  async remove(file: string): Promise<void> {
    await rm(this.#path(file), { force: true });
    const isGone =
      this.#isNew &&
      (await rmdir(this.address).then(
        () => true,
        () => false,
      ));
    if (isGone) return;
    await syncFolder(this.address).catch((error) => {
      // The process that had made the folder removed it, once it was empty.
      if (error.code !== "ENOENT") throw error;
    });
  }

  removeUnfinished(): Promise<void> {
    return removeAbandoned(this.address, /\.([^.]+)\.unfinished$/);
  }

  /** Makes the folder and writes in it; again if the process that had made it removed it, empty, before a file was opened. */
  async #inFolder(write: () => Promise<void>): Promise<void> {
    for (let triesLeft = FOLDER_TRIES_MAX - 1; ; triesLeft--) {
      if ((await mkdir(this.address, { recursive: true, mode: 0o700 })) !== undefined) this.#isNew = true;
      try {
        await write();
        return;
      } catch (error) {
        const isGone = error instanceof CannotWrite && error.code === "ENOENT";
        if (!isGone || triesLeft === 0) throw error;
      }
    }
  }

  async #isLinkToFile(entry: Dirent): Promise<boolean> {
    const target = entry.isSymbolicLink() ? await stat(this.#path(entry.name)).catch(() => undefined) : undefined;
    return target?.isFile() ?? false;
  }

  #path(file: string): string {
    return join(this.address, file);
  }
}
