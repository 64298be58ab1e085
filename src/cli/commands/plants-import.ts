import type { Command } from "commander";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { ImportCount, ImportProgress, RefusedRecord } from "#client/import.ts";
import {
  bulkFormat,
  formatOption,
  isSameFile,
  openSource,
  refusedPath,
  requireFolderOf,
  STANDARD,
} from "../bulk-file.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../command.ts";
import { Interrupted, interruptible } from "../interrupt.ts";
import { printJson, printLine, printNote } from "../output.ts";
import { grouped, ProgressLine } from "../progress.ts";
import { RefusedFile } from "../refused-file.ts";
import { UsageError } from "../report.ts";

interface ImportOptions extends ClientCommandOptions {
  readonly format?: BulkFormat;
  readonly refused?: string;
}

const REFUSED_SHOWN_MAX = 10;
const ADVICE = "Import the file again to go on: what is there already stays as it is";

export function importCommand(): Command {
  return clientCommand("import", "add plants from a file", "plantstore plants import catalogue.csv")
    .argument("<file>", `CSV with a header that names id, name and tag, or NDJSON; ${STANDARD} is standard input`)
    .addOption(formatOption())
    .option("--refused <file>", "where refused lines go, to be mended and imported again; beside the input by default")
    .action(async (file: string, options: ImportOptions) => {
      const format = bulkFormat(file, options.format);
      if (options.refused !== undefined) requireFolderOf(options.refused);
      const refused = new RefusedFile(options.refused ?? refusedPath(file, format));
      if (isSameFile(refused.path, file)) throw new UsageError("--refused would overwrite what is imported");
      await importFile(file, format, refused, options);
    });
}

async function importFile(file: string, format: BulkFormat, refused: RefusedFile, options: ImportOptions) {
  const { bytes, size } = openSource(file);
  const line = new ProgressLine("plant", size);
  let reached: ImportCount = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
  const onProgress = (progress: ImportProgress) => {
    refused.add(progress);
    reached = progress;
    line.reached(progress.created + progress.unchanged + progress.failed, progress.bytes);
  };
  let summary: ImportProgress;
  try {
    const client = connect(options);
    summary = await interruptible(
      (signal) => client.import(bytes, { format, signal, onProgress }),
      () => `${onDisk(reached, refused)}. ${ADVICE}`,
    );
  } catch (error) {
    throw brokenOff(error, reached, refused);
  } finally {
    line.clear();
    bytes.destroy();
    refused.close();
  }
  report(summary, refused, options);
}

function report(summary: ImportProgress, file: RefusedFile, { json }: ImportOptions): void {
  const { created, unchanged, failed, refused } = summary;
  if (json) {
    const errors = refused.map(({ line, error, message }) => ({ line, error, message }));
    printJson({ created, unchanged, failed, errors, refused_file: file.exists ? file.path : null });
  } else {
    printLine(counts(summary));
  }
  if (failed === 0) return;
  if (!json) for (const record of refused.slice(0, REFUSED_SHOWN_MAX)) printNote(refusalText(record));
  if (!json && failed > REFUSED_SHOWN_MAX) printNote(`… and ${grouped(failed - REFUSED_SHOWN_MAX)} more`);
  throw new Error(`The refused lines stand in ${file.path}: mend them and import that file`);
}

function refusalText({ line, error, message }: RefusedRecord): string {
  return `line ${line}: ${message} (${error})`;
}

/** Created records stay, so the whole file may be sent again. */
function brokenOff(error: unknown, reached: ImportCount, refused: RefusedFile): Error {
  if (error instanceof Interrupted || error instanceof UsageError || reached.lines === 0) return error as Error;
  const problem = error instanceof Error ? error.message : String(error);
  return new Error(`${problem}\nBroken off. ${onDisk(reached, refused)}. ${ADVICE}`, { cause: error });
}

/** Up to which line everything was answered. The service may also have stored records after it. */
function onDisk(reached: ImportCount, refused: RefusedFile): string {
  if (reached.lines === 0) return "No line is sure to be on disk";
  const rest = refused.exists ? `; the refused lines so far stand in ${refused.path}` : "";
  return `Everything up to line ${grouped(reached.lines)} is on disk: ${counts(reached)}${rest}`;
}

function counts({ created, unchanged, failed }: ImportCount): string {
  return `${grouped(created)} created, ${grouped(unchanged)} unchanged, ${grouped(failed)} refused`;
}
