import { counted } from "#contract/counted.ts";
import { type RecordBytes, RecordSplitter } from "#contract/record-splitter.ts";
import { ANSWER_LENGTH_MAX, readAnswer, requireLength } from "./answer.ts";
import { BULK_MEDIA_TYPES, type BulkFormat } from "./bulk-format.ts";
import type { CallOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { PlantstoreUnreachable } from "./error.ts";
import { readStoredPlant, type StoredPlant } from "./plant.ts";
import { ItemStream } from "./stream.ts";

type Opened = (headers: Headers) => void;

/** The items of an export, and where the events after it begin. */
export class ExportStream<Item> extends ItemStream<Item> {
  #cursor: string | undefined;

  constructor(read: (opened: Opened) => AsyncGenerator<Item>) {
    super(() =>
      read((headers) => {
        this.#cursor = headers.get("events-cursor") ?? undefined;
      }),
    );
  }

  /** The cursor from which `events` goes on after this export. Undefined until the export has begun to arrive. */
  get cursor(): string | undefined {
    return this.#cursor;
  }
}

/** The bytes of an export. A retry is possible only before the first byte, since an export is one snapshot. */
export async function* exportedBytes(
  connection: Connection,
  format: BulkFormat,
  options: CallOptions,
  opened: Opened,
): AsyncGenerator<Uint8Array> {
  const call = { method: "GET", path: "/plants" } as const;
  const { headers, parts } = await connection.open(call, options, BULK_MEDIA_TYPES[format], "no export");
  opened(headers);
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
export async function* exportedPlants(
  connection: Connection,
  options: CallOptions,
  opened: Opened,
): AsyncGenerator<StoredPlant> {
  const decoder = new TextDecoder();
  const splitter = new RecordSplitter({ quotes: false, sizeMax: ANSWER_LENGTH_MAX });
  const read = ({ bytes }: RecordBytes) => readAnswer(decoder.decode(bytes), connection.url, readStoredPlant);
  for await (const chunk of exportedBytes(connection, "ndjson", options, opened)) {
    for (const record of splitter.push(chunk)) yield read(record);
    requireLength(splitter.recordBytes, connection.url);
  }
  for (const record of splitter.end()) yield read(record);
}
