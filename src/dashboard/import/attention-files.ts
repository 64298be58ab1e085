import Papa from "papaparse";
import { ItemStream } from "#client/stream.ts";
import { csvCell } from "#contract/v1/csv.ts";
import { blobOf, saveFile } from "../browser/save-file.ts";
import type { AttentionList } from "./plan.ts";
import type { Row } from "./row.ts";
import type { Source } from "./source.ts";

/** Saves the lines that need attention, with the file's own headings, columns and order, to be mended and imported alone. */
export async function saveLines(source: Source, { lines }: AttentionList): Promise<void> {
  const { reading, file } = source;
  const isCsv = reading.format !== "ndjson";
  async function* parts() {
    const heading = source.start.find(({ line }) => line === reading.headingLine);
    if (isCsv) yield `\ufeff${heading ? record(heading, reading.separator) : ""}`;
    for await (const rows of source.rows()) {
      const kept = rows.filter(({ line }) => lines.has(line));
      yield kept.map((row) => (isCsv ? record(row, reading.separator) : `${row.cells[0]}\n`)).join("");
    }
  }
  const text = new ItemStream(parts).readable().pipeThrough(new TextEncoderStream());
  const name = file.name.replace(/\.[^.]*$/, "");
  saveFile(await blobOf(text), `${name}-refused.${isCsv ? "csv" : "ndjson"}`, "application/octet-stream");
}

export function saveReasons({ reasons }: AttentionList): void {
  const text = reasons.map(({ line, reason, code }) => `${line},${code ?? ""},${csvCell(reason)}\r\n`).join("");
  saveFile(`\ufeffline,error,reason\r\n${text}`, "refused-why.csv", "text/csv");
}

function record({ cells }: Row, delimiter: string): string {
  return `${Papa.unparse([[...cells]], { delimiter })}\r\n`;
}
