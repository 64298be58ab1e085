import { counted } from "#contract/counted.ts";
import { readAnswer, requireLength } from "./answer.ts";
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
  const call = { method: "GET", path: "/plants" } as const;
  const parts = await connection.open(call, options, BULK_MEDIA_TYPES[format], "no export");
  let bytes = 0;
  try {
    for await (const part of parts) {
      bytes += part.length;
      yield part;
    }
  } catch (cause) {
    if (!(cause instanceof PlantstoreUnreachable) || cause.reason === "answer") throw cause;
    const message = `The export broke off after ${counted(bytes, "byte")}: ${cause.message}`;
    throw new PlantstoreUnreachable(cause.reason, message, { cause });
  }
}

/** The plants of an NDJSON export. */
export async function* exportedPlants(connection: Connection, options: CallOptions): AsyncGenerator<StoredPlant> {
  const decoder = new TextDecoder();
  const read = (line: string) => readAnswer(line, connection.url, readStoredPlant);
  let unread = "";
  for await (const chunk of exportedBytes(connection, "ndjson", options)) {
    // A line that has not ended is not searched again at each part of it.
    const [end = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    lines.unshift(unread + end);
    unread = lines.pop() ?? "";
    requireLength(unread.length, connection.url);
    for (const line of lines) yield read(line);
  }
  if (unread !== "") yield read(unread);
}
