import type { RequestReport } from "#core/request.ts";
import type { CountedAs } from "#load/counted-as.ts";
import { ANSWER_MEMORY } from "#load/limit-groups.ts";
import { Slots } from "#load/slots.ts";

/**
 * Answers larger than `counted`, until their readers have taken them, unless as many as all requests under way would take no
 * more than `free`. Files that all readers share take nothing. Nothing is read for an answer unless there is room for one of
 * `usual` bytes: the event of a plant with two names of a MiB.
 */
export const ANSWERS = ANSWER_MEMORY.row("large answers", "account, or network", {
  each: 48 * 1024 * 1024,
  all: 192 * 1024 * 1024,
  unit: "bytes",
  counted: 16 * 1024,
  usual: 2.5 * 1024 * 1024,
  free: 8 * 1024 * 1024,
});

type Bytes = Uint8Array<ArrayBuffer>;

interface AnsweringServer {
  requestIP(request: Request): unknown;
  timeout(request: Request, seconds: number): void;
  readonly pendingRequests: number;
}

interface Answered {
  readonly method: string;
  readonly subject: CountedAs;
  readonly raw: Request;
  readonly server: AnsweringServer;
  readonly report: Pick<RequestReport, "outcome" | "plantUpdatedAt">;
}

/** An answer that waits for its reader. */
interface HeldAnswer extends Pick<Answered, "raw" | "server"> {
  /** Ends its count. */
  end(): void;
}

const LOOKS_APART_MS = 20;
/** A look at one that still waits takes a microsecond. */
const LOOKED_AT_MAX = 500;

/**
 * An answer that need not be counted while it waits for its reader: a small one, a Blob, which the runtime copies for none
 * of its readers, or a stream whose memory is bounded by itself.
 */
export class UncountedAnswer extends Response {}

/**
 * Bounds the memory of answers that wait for their readers: the runtime holds an answer until it is taken, its reader
 * leaves, or takes nothing for as long as a connection may be silent. The runtime tells nobody when that is, but it knows
 * no address of a request that is over, so the large answers that wait are looked at. Sent in pieces, which would tell,
 * they would take twice the time and have no Content-Length.
 */
export class LargeAnswers {
  /** Answers that were not looked at for the longest time come first. */
  readonly #waiting = new Set<HeldAnswer>();
  #looking: Timer | undefined;

  constructor(private readonly held = new Slots(ANSWERS)) {}

  /** Throws "rate-limited" or "unavailable" if the caller may have no answer of that length: before the work for it. */
  requireRoom({ subject, server }: Pick<Answered, "subject" | "server">, bytes = ANSWERS.usual): void {
    try {
      this.held.requireRoom(subject, bytes);
    } catch (refusal) {
      // A fast reader may have taken many since the last look: more are counted than the runtime has under way.
      if (this.#waiting.size <= server.pendingRequests) throw refusal;
      this.#look();
      this.held.requireRoom(subject, bytes);
    }
  }

  /** Any answer of a handler, as it is sent, whose body is read to learn its length. Throws as `requireRoom`. */
  async bounded(context: Answered, answer: Response): Promise<Response> {
    // The answer to HEAD has the length of a body that nobody reads.
    if (context.method === "HEAD" || answer instanceof UncountedAnswer) return answer;
    const bytes = await answer.bytes();
    return bytes.length === 0 ? new Response(null, answer) : this.answer(context, bytes, answer);
  }

  /** Like `bounded`, for a handler that has the body already: a read of one plant takes a fifth less time. */
  withBody(context: Answered, body: string | Bytes, init: ResponseInit): Response {
    const isSmall = body.length <= ANSWERS.counted || context.method === "HEAD";
    return isSmall ? new UncountedAnswer(body, init) : this.answer(context, body, init);
  }

  /** The answer with this body. Throws as `requireRoom`, unless something was written: then it is sent in any case. */
  answer(context: Answered, body: string | Bytes, init: ResponseInit): Response {
    if (body.length <= ANSWERS.counted) return new Response(body, init);
    try {
      // Few readers need no count: were all answers as long, they would take no more than this together.
      if (body.length * context.server.pendingRequests > ANSWERS.free) this.#count(context, Buffer.byteLength(body));
      return new UncountedAnswer(body, init);
    } finally {
      // The runtime has a copy of its own, and the collector would come too late for thousands of these.
      if (typeof body !== "string") body.buffer.transfer(0);
    }
  }

  #count(context: Answered, bytes: number): void {
    const { subject, raw, server, report } = context;
    if (report.outcome === undefined && report.plantUpdatedAt === undefined) this.requireRoom(context, bytes);
    // A second is the shortest silence that the runtime knows.
    const end = this.held.acquireAdmitted(subject, bytes, () => server.timeout(raw, 1));
    this.#waiting.add({ raw, server, end });
    this.#looking ??= setInterval(() => this.#look(), LOOKS_APART_MS).unref();
  }

  /** Ends the count of those that no longer wait. */
  #look(): void {
    for (const answer of [...this.#waiting.values().take(LOOKED_AT_MAX)]) {
      this.#waiting.delete(answer);
      if (answer.server.requestIP(answer.raw)) this.#waiting.add(answer);
      else answer.end();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}
