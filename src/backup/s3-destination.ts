import { S3Client } from "bun";
import { type Chunks, chunksOf } from "./chunks.ts";
import type { Destination } from "./destination.ts";

export interface S3Settings {
  /** The store's address; undefined means Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
}

const PART_BYTES = 16 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const TRIES = 3;

/** A bucket of Amazon S3, or of another store with the same protocol. */
export class S3Destination implements Destination {
  readonly address: string;
  readonly remote = true;
  readonly #client: S3Client;
  /** The prefix of every key: empty, or ending with a slash. */
  readonly #prefix: string;

  constructor(address: string, settings: S3Settings) {
    const { hostname: bucket, pathname } = new URL(address);
    const prefix = pathname.replace(/^\/+|\/+$/g, "");
    this.address = `s3://${bucket}${prefix && `/${prefix}`}`;
    this.#prefix = prefix && `${prefix}/`;
    this.#client = new S3Client({ ...settings, bucket });
  }

  async exists(): Promise<boolean> {
    return true;
  }

  async list(): Promise<string[]> {
    const files: string[] = [];
    let startAfter: string | undefined;
    for (;;) {
      const page = await this.#try("list", this.#client.list({ prefix: this.#prefix, startAfter }));
      const keys = (page.contents ?? []).map(({ key }) => key);
      files.push(...keys.map((key) => key.slice(this.#prefix.length)));
      startAfter = keys.at(-1);
      if (!page.isTruncated || startAfter === undefined) return files.filter((file) => !file.includes("/")).sort();
    }
  }

  async read(file: string): Promise<Chunks> {
    const found = this.#client.file(this.#prefix + file);
    // A stream of a missing key fails only when it is read.
    await this.#try(`read ${file} from`, found.stat());
    return chunksOf(found.stream());
  }

  async write(file: string, chunks: Chunks): Promise<void> {
    const key = this.#prefix + file;
    const writer = this.#client.file(key).writer({ partSize: PART_BYTES, queueSize: PARTS_AT_ONCE, retry: TRIES });
    let bytes = 0;
    const send = async () => {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        await writer.write(chunk);
        await writer.flush();
      }
      await writer.end();
    };
    await this.#try(`write ${file} to`, send());
    const { size } = await this.#try(`write ${file} to`, this.#client.stat(key));
    if (size !== bytes) throw new Error(`Cannot write ${file} to ${this.address}: ${size} of ${bytes} bytes are there`);
  }

  async remove(file: string): Promise<void> {
    await this.#try(`remove ${file} from`, this.#client.delete(this.#prefix + file));
  }

  /** A rule of the bucket removes the parts of interrupted uploads. */
  async removeUnfinished(): Promise<void> {}

  /** Adds the file and the bucket to the runtime's errors, which name neither. */
  async #try<T>(act: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      const { message, code } = cause as { message?: string; code?: string };
      const reason = [code, message].filter(Boolean).join(": ");
      throw new Error(`Cannot ${act} ${this.address}: ${reason || "the store cannot be reached"}`, { cause });
    }
  }
}
