import { counted } from "#contract/counted.ts";
import { notAPlantstore, readAnswer } from "./answer.ts";
import { BULK_MEDIA_TYPES, type BulkFormat } from "./bulk-format.ts";
import type { CallOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { PlantstoreUnreachable } from "./error.ts";
import { readStoredPlant, type StoredPlant } from "./plant.ts";

/** The bytes of an export. A retry is possible only before the first byte, since an export is one snapshot. */
export async function* exportedBytes(
  connection: Connection,
  format: BulkFormat,
  options: CallOptions,
): AsyncGenerator<Uint8Array> {
  const mediaType = BULK_MEDIA_TYPES[format];
  const call = { method: "GET", path: "/plants", headers: { Accept: mediaType }, repeatable: true } as const;
  const { response, deadline, partTimeoutMs } = await connection.open(call, options);
  const reader = response.body?.getReader();
  let bytes = 0;
  try {
    if (!reader || !response.headers.get("content-type")?.startsWith(mediaType))
      throw notAPlantstore(connection.url, "no export");
    for (;;) {
      deadline.restart(partTimeoutMs);
      const { done, value } = await deadline.reach(reader.read());
      // The time that the caller spends on a chunk does not count against the service.
      deadline.pause();
      if (done) return;
      bytes += value.length;
      yield value;
    }
  } catch (error) {
    if (!(error instanceof PlantstoreUnreachable) || error.reason === "answer") throw error;
    throw new PlantstoreUnreachable(
      error.reason,
      `The export broke off after ${counted(bytes, "byte")}: ${error.message}`,
      {
        cause: error,
      },
    );
  } finally {
    deadline.clear();
    reader?.cancel().catch(() => {});
  }
}

/** The plants of an NDJSON export. */
export async function* exportedPlants(connection: Connection, options: CallOptions): AsyncGenerator<StoredPlant> {
  const decoder = new TextDecoder();
  const read = (line: string) => readAnswer(line, connection.url, readStoredPlant);
  let unread = "";
  for await (const chunk of exportedBytes(connection, "ndjson", options)) {
    const lines = (unread + decoder.decode(chunk, { stream: true })).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) yield read(line);
  }
  if (unread !== "") yield read(unread);
}
