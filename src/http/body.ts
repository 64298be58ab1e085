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
export async function readText(request: Request, sizeBytesMax = BODY_SIZE_BYTES_MAX): Promise<string> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > sizeBytesMax) throw tooLarge(sizeBytesMax);
  // `bytes` takes two microseconds more than `arrayBuffer`.
  let bytes: Uint8Array | ArrayBuffer;
  try {
    bytes = await (length === null ? readChunked(request.body, sizeBytesMax) : request.arrayBuffer());
  } catch (error) {
    throw endedEarly(error);
  }
  return decoded(bytes, request);
}

/** That a client leaves, or stalls until its connection is cut, is no fault of ours: nobody hears the answer. */
function endedEarly(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("body-not-json", "Cannot read the body: it ended early", { cause: error });
}

/** Copied as they come: a chunk of one byte that is kept holds a hundred. */
async function readChunked(body: ReadableStream<Uint8Array> | null, sizeBytesMax: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const kept = new Bun.ArrayBufferSink();
  kept.start({ asUint8Array: true });
  let size = 0;
  const deadline = performance.now() + DISCARDING_MS_MAX;
  for await (const chunk of body) {
    size += chunk.length;
    if (size <= sizeBytesMax) kept.write(chunk);
    else if (size > DISCARDED_BYTES_MAX || performance.now() > deadline) break;
  }
  if (size > sizeBytesMax) throw tooLarge(sizeBytesMax);
  return kept.end() as Uint8Array;
}

function decoded(bytes: Uint8Array | ArrayBuffer, request: Request): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    refuseContentCoding(request);
    throw notUtf8();
  }
}

function notUtf8(): Failure {
  return new Failure(
    "body-not-json",
    "Cannot read the body: it must be JSON in UTF-8, and holds bytes that are not UTF-8",
  );
}

/** RFC 9110, 8.4. */
export function refuseContentCoding(request: Request): void {
  const coding = request.headers.get("content-encoding");
  if (!coding || coding.toLowerCase() === "identity") return;
  const message = `The body must be sent plain, and its Content-Encoding is ${coding.slice(0, 40)}`;
  throw new Failure("media-type-unsupported", message, { headers: { "Accept-Encoding": "identity" } });
}

function tooLarge(sizeBytesMax: number): Failure {
  return new Failure("body-too-large", `The body is too large: it may have ${sizeBytesMax / 1024} KiB at most`, {
    headers: { Connection: "close" },
  });
}
