import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import type { Chunks } from "./destination.ts";

interface Sum {
  readonly bytes: number;
  readonly sha256: string;
}

/** The sums of the database file, and of the stored file. */
export interface Sums {
  readonly plain: Sum;
  readonly stored: Sum;
}

const CHUNK_BYTES = 256 * 1024;
/** The DOM's types lack `from` (WHATWG Streams, 4.2.2). */
const Streams = ReadableStream as unknown as { from(chunks: Chunks): ReadableStream<Uint8Array> };

/** Compresses the file (zstd, RFC 8878), encrypts it for age recipients, if there are any, and passes it to `write`. */
export async function store(
  source: Chunks,
  recipients: readonly string[],
  write: (chunks: Chunks) => Promise<void>,
): Promise<Sums> {
  const [plain, stored] = [new Summed(), new Summed()];
  const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  const zstd = createZstdCompress({ params, chunkSize: CHUNK_BYTES });
  await pipeline(plain.through(source), zstd, async (compressed: Chunks) => {
    const sealed = recipients.length > 0 ? await encrypted(compressed, recipients) : compressed;
    await write(stored.through(sealed));
  });
  return { plain: plain.sum(), stored: stored.sum() };
}

/**
 * The reverse of `store`: decrypts with age identities, if any are given, decompresses, and passes it to `write`. Throws as
 * soon as it is more than `bytesMax`: a few kilobytes can unpack to whatever fills the disk.
 */
export async function unstore(
  source: Chunks,
  identities: readonly string[],
  bytesMax: number,
  write: (chunks: Chunks) => Promise<void>,
): Promise<Sums> {
  const [plain, stored] = [new Summed(bytesMax), new Summed()];
  const sealed = stored.through(source);
  const compressed = identities.length > 0 ? await decrypted(sealed, identities) : sealed;
  await pipeline(compressed, createZstdDecompress({ chunkSize: CHUNK_BYTES }), (chunks: Chunks) =>
    write(plain.through(chunks)),
  );
  return { plain: plain.sum(), stored: stored.sum() };
}

/** Throws if one of them is not an age recipient; the message does not repeat it, since it may be a private key. */
export async function checkRecipients(recipients: readonly string[]): Promise<void> {
  if (recipients.length > 0) await encrypterFor(recipients);
}

/** True if it is an age identity, such as `AGE-SECRET-KEY-1…`. */
export async function isIdentity(text: string): Promise<boolean> {
  return decrypterFor([text]).then(
    () => true,
    () => false,
  );
}

async function encrypterFor(recipients: readonly string[]) {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const [index, recipient] of recipients.entries()) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new Error(`BACKUP_RECIPIENTS must be age public keys (age1…), and key ${index + 1} is none`, { cause });
    }
  }
  return encrypter;
}

async function encrypted(chunks: Chunks, recipients: readonly string[]): Promise<Chunks> {
  const encrypter = await encrypterFor(recipients);
  return encrypter.encrypt(Streams.from(chunks));
}

async function decrypterFor(identities: readonly string[]) {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return decrypter;
}

async function decrypted(chunks: Chunks, identities: readonly string[]): Promise<Chunks> {
  const decrypter = await decrypterFor(identities);
  return decrypter.decrypt(Streams.from(chunks));
}

/** Passes chunks on, up to that size, and computes their size and SHA-256. */
class Summed {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  #bytes = 0;

  constructor(private readonly bytesMax = Infinity) {}

  async *through(chunks: Chunks): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.bytesMax) {
        throw new Error(`it unpacks to more than the ${this.bytesMax} bytes that its manifest names`);
      }
      this.#hasher.update(chunk);
      yield chunk;
    }
  }

  /** Called once all chunks have passed. */
  sum(): Sum {
    return { bytes: this.#bytes, sha256: this.#hasher.digest("hex") };
  }
}
