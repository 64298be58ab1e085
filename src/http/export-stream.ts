import type { Plant } from "#core/plant.ts";

interface ExportForm {
  /** The text before the first plant. */
  readonly head: string;
  readonly record: (plant: Plant) => string;
}

/**
 * A body of pages that are read only as fast as the reader takes them. Resolves once the first page is there, so that a
 * failure until then can still be answered. `onEnd` is called once: at the end, when the reader leaves, or with the
 * error when a page cannot be read.
 */
export async function exportStream(
  pages: AsyncIterable<readonly Plant[]>,
  form: ExportForm,
  onEnd: (error?: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = pages[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<readonly Plant[]>> | undefined = iterator.next();
  await next;
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (form.head !== "") controller.enqueue(Buffer.from(form.head));
    },
    async pull(controller) {
      try {
        const { done, value } = await (next ?? iterator.next());
        next = undefined;
        if (isLeft) return;
        if (!done) return controller.enqueue(Buffer.from(value.map(form.record).join("")));
        controller.close();
        onEnd();
      } catch (error) {
        if (isLeft) return;
        onEnd(error);
        throw error;
      }
    },
    async cancel() {
      // A page may still be on its way; a failure to send it is not an error.
      isLeft = true;
      onEnd();
      await iterator.return?.();
    },
  });
}
