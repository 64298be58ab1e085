import { RecordSplitter } from "#contract/record-splitter.ts";

/**
 * The difference between a file and the format that the service reads: UTF-8, with commas between the cells of a CSV.
 */
export interface Conversion {
  readonly encoding: "utf-8" | "windows-1252" | "utf-16le";
  readonly separator: "," | ";" | "\t";
}

/** The file as UTF-8 with commas. */
export function convertedFile(file: File, { encoding, separator }: Conversion): Promise<File> {
  return changedFile(file, separator === "," ? undefined : (record) => commaRecord(record, separator), encoding);
}

/** The file with each record changed. It is read chunk by chunk, into blobs that the browser may store on disk. */
export async function changedFile(
  file: File,
  change: ((record: string) => string) | undefined,
  encoding = "utf-8",
): Promise<File> {
  const decoded = file.stream().pipeThrough(new TextDecoderStream(encoding));
  const text = change ? decoded.pipeThrough(byRecord(change)) : decoded;
  const bytes = text.pipeThrough(new TextEncoderStream());
  return new File([await new Response(bytes).blob()], file.name);
}

function byRecord(change: (record: string) => string): TransformStream<string, string> {
  const splitter = new RecordSplitter({ quotes: true });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const converted = (records: ReturnType<RecordSplitter["push"]>): string => {
    let text = "";
    for (const { line, bytes } of records) {
      if (!bytes) throw new UnreadableFile(`The plant on line ${line} is longer than 1 MiB. Perhaps a " is missing.`);
      text += `${change(decoder.decode(bytes))}\n`;
    }
    return text;
  };
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(converted(splitter.push(encoder.encode(chunk))));
    },
    flush(controller) {
      controller.enqueue(converted(splitter.end()));
    },
  });
}

/** One record with commas between its cells; a cell that contains a comma is quoted. */
export function commaRecord(record: string, separator: string): string {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (const character of record.replace(/[\r\n]+$/, "")) {
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) {
      cells.push(cell);
      cell = "";
    } else {
      cell += character;
    }
  }
  return [...cells, cell].map((text) => (text.includes(",") && !text.startsWith('"') ? `"${text}"` : text)).join(",");
}

/** A file that cannot be imported in its present form. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  constructor(
    message: string,
    /** The conversion after which it can probably be imported. */
    readonly offer?: Conversion,
  ) {
    super(message);
  }
}
