import type { RequestReport } from "#core/request.ts";
import { ANSWERS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import type { Subject } from "#load/subject.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface Answered {
  readonly method: string;
  readonly subject: Subject;
  readonly report: Pick<RequestReport, "outcome" | "plantUpdatedAt">;
}

const PIECE_BYTES = 64 * 1024;

/**
 * An answer that need not be counted while it waits for its reader: a small one, a Blob, which the runtime copies for none
 * of its readers, or a stream whose memory is bounded by itself.
 */
export class UncountedAnswer extends Response {}

/**
 * Bounds the memory of answers that wait for their readers: the runtime holds a copy of an answer until it is taken. A
 * large one is sent in pieces, as fast as its reader takes them, and counted from the first piece that is asked for until
 * the last is taken, or until its reader leaves or takes nothing for as long as a connection may be silent.
 */
export class LargeAnswers {
  constructor(private readonly held = new Slots(ANSWERS)) {}

  /** Throws "rate-limited" or "unavailable" if the subject may have no answer of that length: before the work for it. */
  requireRoom(subject: Subject, bytes = 1): void {
    this.held.requireRoom(subject, bytes);
  }

  /** Any answer of a handler, as it is sent, whose body is read to learn its length. Throws as `requireRoom`. */
  async bounded(context: Answered, answer: Response): Promise<Response> {
    // The answer to HEAD has the length of a body that nobody reads.
    if (context.method === "HEAD" || answer instanceof UncountedAnswer) return answer;
    const bytes = await answer.bytes();
    return bytes.length === 0 ? new Response(null, answer) : this.answer(context, bytes, answer);
  }

  /** As `bounded`, for a handler that has the body at hand: a read of one plant takes a fifth less than by reading it again. */
  withBody(context: Answered, body: string | Bytes, init: ResponseInit): Response {
    const isSmall = body.length <= ANSWERS.counted || context.method === "HEAD";
    return isSmall ? new UncountedAnswer(body, init) : this.answer(context, body, init);
  }

  /** The answer with this body. Throws as `requireRoom`, unless something was written: then it is sent in any case. */
  answer({ subject, report }: Answered, body: string | Bytes, init: ResponseInit): Response {
    if (body.length <= ANSWERS.counted) return new Response(body, init);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    // The runtime copies a piece.
    const count = bytes.length + Math.min(bytes.length, PIECE_BYTES);
    if (report.outcome === undefined && report.plantUpdatedAt === undefined) this.held.requireRoom(subject, count);
    return new UncountedAnswer(
      inPieces(bytes, () => this.held.takeAdmitted(subject, count)),
      init,
    );
  }
}

/** `take` is called with the first piece that is asked for, and what it returns at the end. */
function inPieces(bytes: Bytes, take: () => () => void): ReadableStream<Bytes> {
  let end: (() => void) | undefined;
  let at = 0;
  const source = {
    pull: (controller: ReadableStreamDefaultController<Bytes>) => {
      end ??= take();
      if (at < bytes.length) {
        controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
        at += PIECE_BYTES;
      } else {
        end();
        controller.close();
      }
    },
    cancel: () => end?.(),
  };
  // Nothing is asked for in advance, since an answer that is dropped has no reader to leave.
  return new ReadableStream<Bytes>(source, { highWaterMark: 0 });
}
