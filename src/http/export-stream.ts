import type { Plant } from "#core/plant.ts";

interface ExportForm {
  /** The text before the first plant. */
  readonly head: string;
  readonly record: (plant: Plant) => string;
}

/** The reason why an export was cut that is no fault of the service, in words that follow "since". */
export class ExportCut extends Error {}

/** A reader that takes nothing for longer is cut off, since it holds a snapshot of the whole store. */
export const SILENCE_S_MAX = 60;
/** The runtime cuts off silent connections by a clock with steps of 4 s, up to one of them early. */
const CLOCK_STEP_S = 4;

/**
 * A body of pages that are read only as fast as the reader takes them. Resolves once the first page is there, so that a
 * failure until then can still be answered. `onEnd` is called once: at the end, when the reader leaves, or with the
 * error when a page cannot be read or the export was cut.
 */
export async function exportStream(
  open: (onCut: (reason: string) => void) => AsyncIterable<readonly Plant[]>,
  form: ExportForm,
  onEnd: (error?: unknown) => void,
  silenceSMax = SILENCE_S_MAX,
): Promise<ReadableStream<Uint8Array>> {
  let ended = false;
  let breakOff = (_: Error) => {};
  const end = (error?: unknown) => {
    if (!ended) onEnd(error);
    ended = true;
  };
  const iterator = open((reason) => {
    if (ended) return;
    const cut = new ExportCut(reason);
    end(cut);
    breakOff(cut);
    iterator.return?.().catch(() => undefined);
  })[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<readonly Plant[]>> | undefined = iterator.next();
  await next;
  let sentAt = performance.now();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      breakOff = (error) => controller.error(error);
      if (form.head !== "") controller.enqueue(Buffer.from(form.head));
    },
    async pull(controller) {
      try {
        const { done, value } = await (next ?? iterator.next());
        next = undefined;
        if (ended) return;
        sentAt = performance.now();
        if (!done) return controller.enqueue(Buffer.from(value.map(form.record).join("")));
        controller.close();
        end();
      } catch (error) {
        if (ended) return;
        end(error);
        throw error;
      }
    },
    async cancel() {
      // A page may still be on its way; a failure to send it is not an error.
      const isStalled = performance.now() - sentAt >= (silenceSMax - CLOCK_STEP_S) * 1000;
      end(isStalled ? new ExportCut(`its reader took nothing for ${silenceSMax} s`) : undefined);
      await iterator.return?.();
    },
  });
}
