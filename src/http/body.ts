import { type BodyReader, readBodyBy, type Shape } from "#contract/v1/shape.ts";
import type { ApiCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";
import { BodyChunks, DISCARDED_BYTES_MAX } from "./body-chunks.ts";
import { requireStill } from "./callers.ts";
import { mediaType } from "./media-type.ts";
import { requireNoParameters } from "./operation.ts";
import type { RequestContext } from "./request-context.ts";
import { stalled } from "./unfinished-bodies.ts";

/** JSON of this length takes a tenth of a millisecond, and five times as long if it is all brackets: so it has few. */
export const INLINE_PARSE = THREAD_TIME.row(
  "bodies that the serving thread parses",
  "request",
  { each: 16 * 1024, unit: "bytes", brackets: 1000 },
  "in a reading thread",
);
/** A body that is neither a plant nor a list of events. The longest is a passkey's attestation, of a few kilobytes. */
export const FORMS = THREAD_TIME.row("forms", "request", { each: INLINE_PARSE.each, unit: "bytes" }, "413");
/** The ids of a hundred events take 2 KiB. */
const REPLAYS = THREAD_TIME.row("forms that ask for a replay", "request", { each: 64 * 1024, unit: "bytes" }, "413");

/** Bytes that are not UTF-8, and a byte-order mark, must be detected: JSON allows neither (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

type Read<Reader extends BodyReader> = ReturnType<Shape[Reader]>;
type More<Reader extends BodyReader> = Parameters<Shape[Reader]>[1] & (bigint | number | undefined);

/**
 * Reads the body, JSON or of `more` types, by a function of the version's shape. Throws the caller's refusal if its token or session
 * ended while the body was under way.
 */
export async function readBody<Reader extends BodyReader>(
  context: RequestContext,
  caller: ApiCaller,
  reader: Reader,
  ...more: readonly string[]
): Promise<Read<Reader>> {
  mediaType(context.raw, ["application/json", ...more]);
  const text = await readText(context, reader === "readWebhookReplay" ? REPLAYS.each : FORMS.each);
  await requireStill(caller);
  requireNoParameters(context);
  return parsed(context, reader, text);
}

/**
 * The body as text. A longer one is refused: by its Content-Length without reading it, or if it is chunked, after reading
 * on for a while, since a client that is still sending would not see the answer.
 */
export function readText(context: RequestContext, sizeBytesMax: number): Promise<string> {
  return read(context, sizeBytesMax, decoded);
}

/** Reads the text of a body. Only one that a reading thread has to parse is waited for; `admitted` is that of lanes. */
export function parsed<Reader extends BodyReader>(
  { service, subject }: RequestContext,
  reader: Reader,
  text: string,
  more?: More<Reader>,
  admitted = false,
): Read<Reader> | Promise<Read<Reader>> {
  if (isParsedInline(text)) return readBodyBy(reader, text, more);
  return service.reads.ask(subject, "body", { reader, text, more }, admitted) as Promise<Read<Reader>>;
}

/** False for a text that is long, or that has many brackets: these take ten times as long as other text. */
export function isParsedInline(text: string): boolean {
  const { each, brackets } = INLINE_PARSE;
  return (
    text.length <= brackets || (text.length <= each && !hasMore(text, "[", brackets) && !hasMore(text, "{", brackets))
  );
}

function hasMore(text: string, unit: string, countMax: number): boolean {
  let count = 0;
  for (let at = text.indexOf(unit); at >= 0 && count <= countMax; at = text.indexOf(unit, at + 1)) count++;
  return count > countMax;
}

/** Rejects with "body-too-large" above `sizeBytesMax`, and with "request-timeout" if the body stalls. */
export function readBytes(context: RequestContext, sizeBytesMax: number): Promise<Bytes> {
  return read(context, sizeBytesMax, (bytes) => bytes);
}

/** Parses the bytes of a body, or throws a Failure. */
type Make<T> = (bytes: Bytes) => T;
type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer;

function read<T>(context: RequestContext, sizeBytesMax: number, make: Make<T>): Promise<T> {
  const header = context.raw.headers.get("content-length");
  const length = header === null ? sizeBytesMax : Number(header);
  if (length > sizeBytesMax) return refuseTooLarge(context, length, sizeBytesMax);
  const chunkedBytesMax = header === null ? length : undefined;
  if (length <= INLINE_PARSE.each) return arrival(context, chunkedBytesMax, make);
  const { unfinishedBodies, largeAnswers } = context.service.guards;
  // A plant is answered as long as it is sent, and once it is written that is not refused.
  largeAnswers.requireRoom(context, length);
  const release = unfinishedBodies.reserved.acquire(context.subject, length, () => {
    release();
    unfinishedBodies.evict(context);
  });
  return Promise.try(() => arrival(context, chunkedBytesMax, make)).finally(release);
}

async function refuseTooLarge(context: RequestContext, length: number, sizeBytesMax: number): Promise<never> {
  await new BodyChunks(context).discardBeforeClose();
  throw tooLarge(sizeBytesMax, length > DISCARDED_BYTES_MAX);
}

/**
 * The whole body; one of unknown length is read in chunks, up to `chunkedBytesMax`. A request whose body stalls is
 * refused while this waits, and nothing of it may be stored then.
 */
function arrival<T>(context: RequestContext, chunkedBytesMax: number | undefined, make: Make<T>): Promise<T> {
  const { unfinishedBodies } = context.service.guards;
  unfinishedBodies.wait(context);
  // A create's body is read with `arrayBuffer`, since `bytes` takes two microseconds more.
  const body = chunkedBytesMax === undefined ? context.raw.arrayBuffer() : readChunked(context, chunkedBytesMax);
  return body.then(
    (bytes) => {
      unfinishedBodies.arrived(context);
      if (context.hasEnded) throw stalled();
      return make(bytes);
    },
    (error) => {
      unfinishedBodies.arrived(context);
      throw endedEarly(error);
    },
  );
}

/**
 * A client that leaves, or stalls until its connection is cut, is not a fault of the service; nobody receives the
 * answer.
 */
function endedEarly(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("body-not-json", "Cannot read the body: it ended early", { cause: error });
}

/** Chunks are copied on arrival, since a retained chunk of one byte occupies a hundred. */
async function readChunked(context: RequestContext, sizeBytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks = new BodyChunks(context);
  const kept = new Bun.ArrayBufferSink();
  kept.start({ asUint8Array: true });
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= sizeBytesMax) {
      kept.write(chunk);
      continue;
    }
    throw tooLarge(sizeBytesMax, !(await chunks.discardRest()));
  }
  return kept.end() as Uint8Array<ArrayBuffer>;
}

/** Throws "body-not-json" for bytes that are not UTF-8. */
export function decoded(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    const message = "Cannot read the body: it must be JSON in UTF-8, and holds bytes that are not UTF-8";
    throw new Failure("body-not-json", message);
  }
}

/**
 * Closes the connection only to get rid of a body that is not worth waiting for: the runtime resets the connection
 * while the client is still sending, and the answer may be lost.
 */
function tooLarge(sizeBytesMax: number, closes = false): Failure {
  const size = sizeBytesMax >= 1024 * 1024 ? `${sizeBytesMax / 1024 / 1024} MiB` : `${sizeBytesMax / 1024} KiB`;
  const message = `The body is too large: it may have ${sizeBytesMax} bytes (${size}) at most`;
  return new Failure("body-too-large", message, closes ? { headers: { Connection: "close" } } : {});
}
