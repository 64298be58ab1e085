import type { AccountNumber } from "#core/plant.ts";
import { ANSWERS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const PIECE_BYTES = 64 * 1024;

/**
 * Bounds the memory of answers that wait for their readers. A large one is sent in pieces, as fast as its reader takes
 * them, and counted from the first piece that is asked for until the last, or until the reader leaves.
 */
export class LargeAnswers {
  constructor(private readonly held = new Slots(ANSWERS)) {}

  /** The body of an answer to a request of the method. Throws "rate-limited" or "unavailable" beyond a bound. */
  body(account: AccountNumber, bytes: Bytes, method: string): Bytes | ReadableStream<Bytes> {
    // The answer to HEAD has the length of this body, which nobody reads.
    if (bytes.length <= ANSWERS.counted || method === "HEAD") return bytes;
    this.held.requireRoom(account, bytes.length);
    let end: (() => void) | undefined;
    let at = 0;
    const source = {
      pull: (controller: ReadableStreamDefaultController<Bytes>) => {
        end ??= this.held.takeAdmitted(account, bytes.length);
        controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
        at += PIECE_BYTES;
        if (at < bytes.length) return;
        end();
        controller.close();
      },
      cancel: () => end?.(),
    };
    // Nothing is asked for in advance, since an answer that is dropped has no reader to leave.
    return new ReadableStream<Bytes>(source, { highWaterMark: 0 });
  }
}
