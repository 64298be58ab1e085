import { S3Client } from "bun";
import { inTime } from "#core/deadline.ts";
import { LimitGroup } from "#load/limit-row.ts";
import type { Chunks, Destination } from "./destination.ts";

/** Backups are the operator's: no caller can ask for one. */
const BACKUP_PARTS = new LimitGroup("backups", "plantstore_backup_seconds", "waits", "bench/large.ts").row(
  "parts that are sent at once",
  "operator",
  { all: 2 },
);

export interface S3Settings {
  /** The store's address; undefined means Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
}

const PART_BYTES = 16 * 1024 * 1024;
/** How long an answer without content may take, or the next bytes of one with content. */
const ANSWER_MS_MAX = 30_000;
/** How long one part may take with all its retries, which 1.1 Mbit/s can do. */
const PART_MS_MAX = 120_000;

/** A bucket of Amazon S3, or of another store with the same protocol. */
export class S3Destination implements Destination {
  readonly address: string;
  readonly remote = true;
  readonly #client: S3Client;
  /** The prefix of every key: empty, or ending with a slash. */
  readonly #prefix: string;
  /** A store that did not answer in time is not asked again: whoever cleans up would wait as long for each file. */
  #silence: Error | undefined;

  constructor(address: string, settings: S3Settings) {
    // `URL` would percent-encode the prefix, which the client encodes itself.
    const [, bucket = "", path = ""] = /^s3:\/\/([^/]+)(.*)$/s.exec(address) ?? [];
    const prefix = path.replace(/^\/+|\/+$/g, "");
    this.address = `s3://${bucket}${prefix && `/${prefix}`}`;
    this.#prefix = prefix && `${prefix}/`;
    this.#client = new S3Client({ ...settings, bucket, ...ofBucket(settings.endpoint, bucket) });
  }

  async exists(): Promise<boolean> {
    return true;
  }

  async list(prefix = ""): Promise<string[]> {
    return [...(await this.sizes(prefix)).keys()];
  }

  async sizes(prefix = ""): Promise<ReadonlyMap<string, number>> {
    const files: [name: string, size: number][] = [];
    let startAfter: string | undefined;
    for (;;) {
      const options = { prefix: this.#prefix + prefix, startAfter };
      const page = await this.#try("list", () => this.#client.list(options));
      const found = page.contents ?? [];
      files.push(...found.map(({ key, size = 0 }): [string, number] => [key.slice(this.#prefix.length), size]));
      startAfter = found.at(-1)?.key;
      if (page.isTruncated && startAfter !== undefined) continue;
      return new Map(files.filter(([file]) => !file.includes("/")).sort(([a], [b]) => (a < b ? -1 : 1)));
    }
  }

  async read(file: string): Promise<Chunks> {
    const found = this.#client.file(this.#prefix + file);
    // A stream of a missing key fails only when it is read.
    await this.#try(`read ${file} from`, () => found.stat());
    return this.#chunks(file, found.stream().getReader());
  }

  async *#chunks(file: string, reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const { value, done } = await this.#try(`read ${file} from`, () => reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  async write(file: string, chunks: Chunks): Promise<void> {
    const key = this.#prefix + file;
    const act = `write ${file} to`;
    const writer = this.#client.file(key).writer({ partSize: PART_BYTES, queueSize: BACKUP_PARTS.all, retry: 3 });
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      await this.#try(act, async () => writer.write(chunk), PART_MS_MAX);
      await this.#try(act, async () => writer.flush(), PART_MS_MAX);
    }
    await this.#try(act, async () => writer.end(), PART_MS_MAX);
    const { size } = await this.#try(act, () => this.#client.stat(key));
    if (size !== bytes) throw new Error(`Cannot write ${file} to ${this.address}: ${size} of ${bytes} bytes are there`);
  }

  async remove(file: string): Promise<void> {
    await this.#try(`remove ${file} from`, () => this.#client.delete(this.#prefix + file));
  }

  /** A rule of the bucket removes the parts of interrupted uploads. */
  async removeUnfinished(): Promise<void> {}

  /**
   * Adds the file and the bucket to the runtime's errors, which name neither, and a limit of time: the runtime itself
   * waits for five minutes, several times. It cannot be told to let go of a request, which ends with the process.
   */
  async #try<T>(act: string, request: () => Promise<T>, ms = ANSWER_MS_MAX): Promise<T> {
    const late = () => {
      this.#silence = new Error(`the store has not answered for ${ms / 1000} s`);
      return this.#silence;
    };
    try {
      if (this.#silence) throw this.#silence;
      return await inTime(request(), ms, late);
    } catch (cause) {
      const { message, code } = cause as { message?: string; code?: string };
      const reason = [code, message].filter(Boolean).join(": ");
      throw new Error(`Cannot ${act} ${this.address}: ${reason || "the store cannot be reached"}`, { cause });
    }
  }
}

/** Many stores show the address of a bucket, with its name before the host or as the path, where that of the store is meant. */
function ofBucket(endpoint: string | undefined, bucket: string): { endpoint?: string; virtualHostedStyle?: boolean } {
  if (endpoint === undefined) return {};
  const { hostname, pathname, origin } = new URL(endpoint);
  if (hostname.startsWith(`${bucket}.`)) return { virtualHostedStyle: true };
  return pathname.replace(/\/$/, "") === `/${bucket}` ? { endpoint: origin } : {};
}
