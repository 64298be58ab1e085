import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { BulkFormat } from "#client/bulk-format.ts";
import { counted } from "#contract/counted.ts";
import { RecordScanner } from "#contract/record-scanner.ts";
import { printableLines } from "#core/printable.ts";
import { replaceFileBy } from "#files/replace-file.ts";
import { type BulkTarget, bulkFormat, bulkTarget, formatOption, STANDARD } from "../bulk-file.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../command.ts";
import { interruptible } from "../interrupt.ts";
import { printResult } from "../output.ts";
import { grouped, ProgressLine } from "../progress.ts";

interface ExportOptions extends ClientCommandOptions {
  readonly format?: BulkFormat;
}

export function exportCommand(): Command {
  return clientCommand("export", "write all plants to a file", "plantstore plants export catalogue.csv")
    .argument("[file]", `where to; standard output (${STANDARD}) by default`, STANDARD)
    .addOption(formatOption())
    .action(async (file: string, options: ExportOptions) => {
      const format = bulkFormat(file, options.format, file === STANDARD ? "ndjson" : undefined);
      const target = file === STANDARD ? undefined : bulkTarget(file);
      const count = new RecordCount(format);
      const write = (signal: AbortSignal) => {
        const exported = counting(connect(options).export({ format, signal }), count);
        return target ? toFile(exported, target) : toStandardOutput(exported);
      };
      await interruptible(write, () => {
        const written = `Wrote ${counted(count.plants, "plant", grouped)}`;
        return target?.partial ? `${written}; ${file} is left as it was` : `${written}, and the rest is missing`;
      });
      if (!target) return;
      const { plants, bytes } = count;
      printResult(options.json, { plants, bytes, file }, `${file} holds ${counted(plants, "plant", grouped)}`);
    });
}

/** Writes under another name until the export is complete, so that a file with the given name is never incomplete. */
async function toFile(exported: AsyncIterable<Uint8Array>, { path, partial, mode }: BulkTarget): Promise<void> {
  if (partial === undefined) return pipeline(exported, createWriteStream(path));
  await replaceFileBy(path, exported, { draft: partial, mode });
}

/** A reader that closes the pipe early, like `head`, ends the export without an error. */
async function toStandardOutput(exported: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(process.stdout.isTTY ? shown(exported) : exported, process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/** Escapes control characters in names, for output to a terminal. */
async function* shown(exported: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of exported) {
    yield printableLines(decoder.decode(chunk, { stream: true }).replaceAll("\r\n", "\n"));
  }
}

async function* counting(exported: AsyncIterable<Uint8Array>, count: RecordCount): AsyncGenerator<Uint8Array> {
  const line = new ProgressLine("plant", undefined);
  try {
    for await (const chunk of exported) {
      count.add(chunk);
      line.reached(count.plants, count.bytes);
      yield chunk;
    }
  } finally {
    line.clear();
  }
}

/** Counts the written records. A line break in a quoted name does not end a record. */
class RecordCount {
  readonly #scanner;
  #records = 0;
  bytes = 0;

  constructor(private readonly format: BulkFormat) {
    this.#scanner = new RecordScanner({ quotes: format === "csv" });
  }

  get plants(): number {
    return this.format === "csv" ? Math.max(0, this.#records - 1) : this.#records;
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    for (let at = 0; at >= 0 && at < chunk.length; ) {
      at = this.#scanner.endOfRecord(chunk, at);
      if (at >= 0) this.#records++;
    }
  }
}
