import { type Command, Option } from "commander";
import type { RefusedRecord } from "#client/bulk.ts";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { ImportCount, ImportOptions, ImportProgress } from "#client/import.ts";
import { counted } from "#contract/counted.ts";
import { ALL_MEMBERS } from "#contract/plant-members.ts";
import {
  bulkFormat,
  formatOption,
  isSameFile,
  openSource,
  refusedPath,
  requireFolderOf,
  STANDARD,
  wholeSource,
} from "../bulk-file.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../command.ts";
import { Interrupted, interruptible } from "../interrupt.ts";
import { printJson, printLine, printNote } from "../output.ts";
import { grouped, ProgressLine } from "../progress.ts";
import { RefusedFile } from "../refused-file.ts";
import { UsageError } from "../report.ts";

interface ImportCommandOptions extends ClientCommandOptions, Pick<ImportOptions, "existing" | "dryRun"> {
  readonly format?: BulkFormat;
  readonly refused?: string;
}

const REFUSED_SHOWN_MAX = 10;
const ADVICE = "Import the file again to go on: what is there already stays as it is";

export function importCommand(): Command {
  return clientCommand(
    "import",
    "add plants from a file, or update those that are there",
    "plantstore plants import catalogue.csv",
    "plantstore plants import prices.csv --existing update --dry-run",
  )
    .argument("<file>", `CSV with a header that names id, ${ALL_MEMBERS}, or NDJSON; ${STANDARD} is standard input`)
    .addOption(formatOption())
    .option("--refused <file>", "where refused lines go, to be mended and imported again; beside the input by default")
    .addOption(
      new Option("--existing <what>", "what becomes of a record whose plant is there and differs")
        .choices(["refuse", "update"])
        .default("refuse"),
    )
    .option("--dry-run", "write nothing, and say what would be")
    .action(async (file: string, options: ImportCommandOptions) => {
      const format = bulkFormat(file, options.format);
      if (options.dryRun) return tryImport(file, format, options);
      if (options.refused !== undefined) requireFolderOf(options.refused);
      const refused = new RefusedFile(options.refused ?? refusedPath(file, format));
      if (isSameFile(refused.path, file)) throw new UsageError("--refused would overwrite what is imported");
      await importFile(file, format, refused, options);
    });
}

/** Counts what an import would do, by one request. */
async function tryImport(file: string, format: BulkFormat, options: ImportCommandOptions): Promise<void> {
  const source = await wholeSource(file);
  const summary = await interruptible(
    (signal) => connect(options).importPlants(source, { format, signal, existing: options.existing, dryRun: true }),
    () => "Nothing was written",
  );
  const { failed, refused } = summary;
  if (options.json) printJson({ ...record(summary, options), dry_run: true });
  else printLine(`It would be: ${counts(summary, options)}. Nothing was written`);
  if (failed === 0) return;
  if (!options.json) printRefusals(refused, failed);
  throw new Error(`${counted(failed, "record", grouped)} would be refused`);
}

async function importFile(file: string, format: BulkFormat, refused: RefusedFile, options: ImportCommandOptions) {
  const { bytes, size } = openSource(file);
  const line = new ProgressLine("plant", size);
  let reached: ImportCount = { created: 0, updated: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
  const onProgress = (progress: ImportProgress) => {
    refused.add(progress);
    reached = progress;
    const { created, updated, unchanged, failed, bytes } = progress;
    line.reached(created + updated + unchanged + failed, bytes);
  };
  let summary: ImportProgress;
  try {
    const client = connect(options);
    summary = await interruptible(
      (signal) => client.importPlants(bytes, { format, signal, existing: options.existing, onProgress }),
      () => `${onDisk(reached, refused, options)}. ${ADVICE}`,
    );
  } catch (error) {
    throw brokenOff(error, reached, refused, options);
  } finally {
    line.clear();
    bytes.destroy();
    refused.close();
  }
  report(summary, refused, options);
}

function report(summary: ImportProgress, file: RefusedFile, options: ImportCommandOptions): void {
  const { failed, refused } = summary;
  if (options.json) printJson({ ...record(summary, options), refused_file: file.exists ? file.path : null });
  else printLine(counts(summary, options));
  if (failed === 0) return;
  if (!options.json) printRefusals(refused, failed);
  throw new Error(`The refused lines stand in ${file.path}: mend them and import that file`);
}

/** The outcome in the shape of the API. */
function record(summary: ImportProgress, { existing }: ImportCommandOptions) {
  const { created, updated, unchanged, failed, refused } = summary;
  const errors = refused.map(({ line, error, message }) => ({ line, error, message }));
  return { created, ...(existing === "update" && { updated }), unchanged, failed, errors };
}

/** The first refused records, and how many more there are. */
export function printRefusals(refused: readonly RefusedRecord[], failed: number): void {
  for (const { line, error, message } of refused.slice(0, REFUSED_SHOWN_MAX))
    printNote(`line ${line}: ${message} (${error})`);
  if (failed > REFUSED_SHOWN_MAX) printNote(`… and ${grouped(failed - REFUSED_SHOWN_MAX)} more`);
}

/** Created records stay, so the whole file may be sent again. */
function brokenOff(error: unknown, reached: ImportCount, refused: RefusedFile, options: ImportCommandOptions): Error {
  if (error instanceof Interrupted || error instanceof UsageError || reached.lines === 0) return error as Error;
  const problem = error instanceof Error ? error.message : String(error);
  return new Error(`${problem}\nBroken off. ${onDisk(reached, refused, options)}. ${ADVICE}`, { cause: error });
}

/** Up to which line everything was answered. The service may also have stored records after it. */
function onDisk(reached: ImportCount, refused: RefusedFile, options: ImportCommandOptions): string {
  if (reached.lines === 0) return "No line is sure to be on disk";
  const rest = refused.exists ? `; the refused lines so far stand in ${refused.path}` : "";
  return `Everything up to line ${grouped(reached.lines)} is on disk: ${counts(reached, options)}${rest}`;
}

function counts({ created, updated, unchanged, failed }: ImportCount, { existing }: ImportCommandOptions): string {
  const changed = existing === "update" ? `${grouped(updated)} updated, ` : "";
  return `${grouped(created)} created, ${changed}${grouped(unchanged)} unchanged, ${grouped(failed)} refused`;
}
