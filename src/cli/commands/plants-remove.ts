import type { Command } from "commander";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import type { RemovalSummary } from "#client/removal.ts";
import { counted } from "#contract/counted.ts";
import { bulkFormat, formatOption, openSource, STANDARD, wholeSource } from "../bulk-file.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../command.ts";
import { interruptible } from "../interrupt.ts";
import { printJson, printLine, printResult } from "../output.ts";
import { grouped } from "../progress.ts";
import { UsageError } from "../report.ts";
import { readId } from "../typed-values.ts";
import { printRefusals } from "./plants-import.ts";

interface RemoveOptions extends ClientCommandOptions {
  readonly id?: string;
  readonly ifMatch?: string;
  readonly from?: string;
  readonly format?: BulkFormat;
  readonly dryRun?: boolean;
}

export function removeCommand(): Command {
  return clientCommand(
    "remove",
    "remove plants",
    "plantstore plants remove 42",
    "plantstore plants remove 42 43 --dry-run",
    "plantstore plants remove --from gone.csv",
  )
    .argument("[ids...]", "their ids")
    .option("--id <id>", "an id, as in --id=-5")
    .option("--from <file>", `their ids: lines, NDJSON, or CSV with a column id; ${STANDARD} is standard input`)
    .addOption(formatOption())
    .option("--dry-run", "remove nothing, and say what would be")
    .option("--if-match <etag>", "only if the one plant is still this version, as `get --json` shows it")
    .action(async (given: string[], options: RemoveOptions) => {
      const ids = (options.id === undefined ? given : [...given, options.id]).map(readId);
      const { from, ifMatch, dryRun = false } = options;
      if ((ids.length === 0) === (from === undefined)) throw new UsageError("Give ids, as in 42 43, or --from a file");
      const [id] = ids;
      const isOne = ids.length === 1 && !dryRun;
      if (ifMatch !== undefined && !isOne) throw new UsageError("--if-match is for the removal of one plant");
      if (isOne && id !== undefined) return removeOne(id, options);
      report(await removeMany(connect(options), ids, options), options);
    });
}

async function removeOne(id: bigint, options: RemoveOptions): Promise<void> {
  await connect(options).remove(id, { ifMatch: options.ifMatch });
  printResult(options.json, { id, removed: true }, `${id}  removed`);
}

async function removeMany(
  client: PlantstoreClient,
  ids: readonly bigint[],
  { from, format: asked, dryRun }: RemoveOptions,
): Promise<RemovalSummary> {
  const advice = dryRun
    ? "Nothing was removed"
    : "Remove them again to go on: those that are gone are counted as missing";
  if (from === undefined)
    return interruptible(
      (signal) => client.removeMany(ids, { signal, dryRun }),
      () => advice,
    );
  const format = bulkFormat(from, asked, "ndjson");
  const source = dryRun ? await wholeSource(from) : openSource(from).bytes;
  return interruptible(
    (signal) => client.removeMany(source, { format, signal, dryRun }),
    () => advice,
  );
}

function report({ removed, missing, failed, refused }: RemovalSummary, { json, dryRun = false }: RemoveOptions): void {
  const errors = refused.map(({ line, error, message }) => ({ line, error, message }));
  const said = `${grouped(removed)} removed, ${grouped(missing)} not there, ${grouped(failed)} refused`;
  if (json) printJson({ removed, missing, failed, errors, ...(dryRun && { dry_run: true }) });
  else printLine(dryRun ? `It would be: ${said}. Nothing was removed` : said);
  if (failed === 0) return;
  if (!json) printRefusals(refused, failed);
  throw new Error(
    `${counted(failed, "record", grouped)} ${dryRun ? "would be" : failed === 1 ? "was" : "were"} refused`,
  );
}
