import { unavailable } from "#core/failure.ts";

interface Pages {
  next(): Promise<IteratorResult<{ readonly bytes: Uint8Array }, unknown>>;
  return(): void;
}

interface ExportOptions {
  readonly head: string;
  /** Watches the snapshot, and calls `cut` with the reason if it must be let go. The returned function ends the watch. */
  watch(cut: (reason: string) => void): () => void;
  /** Called once: at the end, when the reader leaves, or with the error when a page cannot be read or the export was cut. */
  onEnd(error?: unknown): void;
  readonly silenceSMax?: number;
}

/** The reason why an export was cut that is no fault of the service, in words that follow "since". */
export class ExportCut extends Error {}

/** A reader that takes nothing for longer is cut off, since it holds a snapshot of the whole store. */
export const SILENCE_S_MAX = 60;
/** The runtime cuts off silent connections by a clock with steps of 4 s, up to one of them early. */
const CLOCK_STEP_S = 4;

/**
 * A body of pages that are read only as fast as the reader takes them, with one in advance. Resolves once the first page is
 * there, so that a failure until then can still be answered.
 */
export async function exportStream(
  pages: Pages,
  { head, watch, onEnd, silenceSMax = SILENCE_S_MAX }: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  let ended = false;
  let cut: ExportCut | undefined;
  let breakOff = (_: Error) => {};
  const end = (error?: unknown) => {
    if (!ended) onEnd(error);
    ended = true;
    endWatch();
    pages.return();
  };
  const endWatch = watch((reason) => {
    if (ended) return;
    cut = new ExportCut(reason);
    end(cut);
    breakOff(cut);
  });
  const read = () => {
    const page = pages.next();
    // The end of the plants is the end of the snapshot, however slowly the last page is taken.
    page.then(
      ({ done }) => done && endWatch(),
      () => undefined,
    );
    return page;
  };
  let next = read();
  await next.catch((error) => {
    endWatch();
    throw error;
  });
  if (cut) throw unavailable(`The export was cut, since ${cut.message}. Try again.`, cut);
  let sentAt = performance.now();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      breakOff = (error) => controller.error(error);
      if (head !== "") controller.enqueue(Buffer.from(head));
    },
    async pull(controller) {
      try {
        const { done, value } = await next;
        if (ended) return;
        sentAt = performance.now();
        if (!done) {
          next = read();
          return controller.enqueue(value.bytes);
        }
        controller.close();
        end();
      } catch (error) {
        if (ended) return;
        end(error);
        throw error;
      }
    },
    cancel() {
      const isStalled = performance.now() - sentAt >= (silenceSMax - CLOCK_STEP_S) * 1000;
      end(isStalled ? new ExportCut(`its reader took nothing for ${silenceSMax} s`) : undefined);
    },
  });
}
