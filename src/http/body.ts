import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import { Failure } from "#core/failure.ts";

const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;
const DISCARDING_MS_MAX = 2000;
/** Bytes that are not UTF-8, and a byte-order mark, must show: JSON has neither (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The body as text, up to 1 MiB. A longer one is refused: by its Content-Length without reading it; a chunked one
 * after reading on for a while, since a client that is still sending would not see the answer.
 */
export async function readText(request: Request): Promise<string> {
  const length = request.headers.get("content-length");
  if (length === null) return decoded(await readChunked(request.body));
  if (Number(length) > BODY_SIZE_BYTES_MAX) throw tooLarge();
  return decoded(await request.bytes());
}

async function readChunked(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const deadline = performance.now() + DISCARDING_MS_MAX;
  for await (const chunk of body) {
    size += chunk.length;
    if (size <= BODY_SIZE_BYTES_MAX) chunks.push(chunk);
    else if (size > DISCARDED_BYTES_MAX || performance.now() > deadline) break;
  }
  if (size > BODY_SIZE_BYTES_MAX) throw tooLarge();
  return Buffer.concat(chunks);
}

function decoded(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Failure(
      "body-not-json",
      "Cannot read the body: it must be JSON in UTF-8, and holds bytes that are not UTF-8",
    );
  }
}

function tooLarge(): Failure {
  return new Failure(
    "body-too-large",
    `The body is too large: it may have ${BODY_SIZE_BYTES_MAX} bytes (1 MiB) at most`,
    {
      headers: { Connection: "close" },
    },
  );
}
