import writeWorkbook from "write-excel-file/universal";

/**
 * Writes an Excel workbook in a thread of its own, which this very module is started as, since the page would stand still
 * meanwhile.
 */
type Answer = { readonly blob: Blob } | { readonly failed: string };

/** One sheet, whose cells are all texts. */
export async function workbookOf(rows: readonly (readonly string[])[], signal: AbortSignal): Promise<Blob> {
  const worker = new Worker(import.meta.url, { type: "module" });
  const { promise, resolve } = Promise.withResolvers<Answer>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => resolve({ failed: "The workbook could not be written" });
  signal.addEventListener("abort", () => resolve({ failed: "Stopped" }));
  worker.postMessage(rows);
  const answer = await promise;
  worker.terminate();
  signal.throwIfAborted();
  if ("failed" in answer) throw new Error(answer.failed);
  return answer.blob;
}

// Only a thread has no document; the page has one before it loads this.
if (typeof document === "undefined" && typeof self !== "undefined") {
  self.onmessage = async ({ data }) => self.postMessage(await written(data));
}

async function written(rows: readonly (readonly string[])[]): Promise<Answer> {
  try {
    const data = rows.map((cells) => cells.map((value) => (value === "" ? null : { value, type: String })));
    return { blob: await writeWorkbook(data, { sheet: "Plants" }).toBlob() };
  } catch (cause) {
    return { failed: String(cause) };
  }
}
