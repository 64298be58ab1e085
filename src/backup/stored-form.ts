import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { type Chunks, chunksOf, type Sum, Summed, streamOf } from "./chunks.ts";

/** The sums of the database file, and of the stored file. */
export interface Sums {
  readonly plain: Sum;
  readonly stored: Sum;
}

const ZSTD_LEVEL = 1;
const CHUNK_BYTES = 256 * 1024;

/**
 * Compresses the file (zstd, RFC 8878), encrypts it for the age recipients, if there are any, and passes it to `write`.
 */
export async function store(
  source: Chunks,
  recipients: readonly string[],
  write: (chunks: Chunks) => Promise<void>,
): Promise<Sums> {
  const [plain, stored] = [new Summed(), new Summed()];
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
  const zstd = createZstdCompress({ params, chunkSize: CHUNK_BYTES });
  await pipeline(plain.through(source), zstd, async (compressed: Chunks) => {
    const sealed = recipients.length > 0 ? await encrypted(compressed, recipients) : compressed;
    await write(stored.through(sealed));
  });
  return { plain: plain.sum(), stored: stored.sum() };
}

/**
 * The reverse of `store`: decrypts with the age identities, if any are given, decompresses, and passes the content to
 * `write`.
 */
export async function unstore(
  source: Chunks,
  identities: readonly string[],
  write: (chunks: Chunks) => Promise<void>,
): Promise<Sums> {
  const [plain, stored] = [new Summed(), new Summed()];
  const sealed = stored.through(source);
  const compressed = identities.length > 0 ? await decrypted(sealed, identities) : sealed;
  await pipeline(compressed, createZstdDecompress({ chunkSize: CHUNK_BYTES }), (chunks: Chunks) =>
    write(plain.through(chunks)),
  );
  return { plain: plain.sum(), stored: stored.sum() };
}

/** Throws if one of them is not an age recipient. */
export async function checkRecipients(recipients: readonly string[]): Promise<void> {
  if (recipients.length > 0) await encrypterFor(recipients);
}

async function encrypterFor(recipients: readonly string[]) {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new Error(`BACKUP_RECIPIENTS must be age public keys (age1…), and ${recipient} is none`, { cause });
    }
  }
  return encrypter;
}

async function encrypted(chunks: Chunks, recipients: readonly string[]): Promise<Chunks> {
  const encrypter = await encrypterFor(recipients);
  return chunksOf(await encrypter.encrypt(streamOf(chunks)));
}

async function decrypted(chunks: Chunks, identities: readonly string[]): Promise<Chunks> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return chunksOf(await decrypter.decrypt(streamOf(chunks)));
}
