import { RecordSplitter } from "#contract/record-splitter.ts";

/**
 * The difference between a file and the format that the service reads: UTF-8, with commas between the cells of a CSV.
 */
export interface Conversion {
  readonly encoding: "utf-8" | "windows-1252" | "utf-16le";
  readonly separator: "," | ";" | "\t";
}

/** The file as UTF-8 with commas. It is converted chunk by chunk, into blobs that the browser may store on disk. */
export async function convertedFile(file: File, { encoding, separator }: Conversion): Promise<File> {
  const decoded = file.stream().pipeThrough(new TextDecoderStream(encoding));
  const text = separator === "," ? decoded : decoded.pipeThrough(withCommas(separator));
  const bytes = text.pipeThrough(new TextEncoderStream());
  return new File([await new Response(bytes).blob()], file.name);
}

function withCommas(separator: string): TransformStream<string, string> {
  const splitter = new RecordSplitter({ quotes: true });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const converted = (records: ReturnType<RecordSplitter["push"]>): string => {
    let text = "";
    for (const { bytes } of records) if (bytes) text += `${commaRecord(decoder.decode(bytes), separator)}\n`;
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
