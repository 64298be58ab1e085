import type { Command } from "commander";
import { counted } from "#contract/counted.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { Status } from "#server/status.ts";
import { command } from "../command.ts";
import { printJson, printNote, printTable } from "../output.ts";

export function statusCommand(): Command {
  return command(
    "status",
    "show the version, the server, the database, the backups, and the webhook endpoints that fail",
    "plantstore status --json",
  ).action(async ({ json }: { readonly json?: boolean }) => {
    const { readStatus } = await import("#server/status.ts");
    const status = await readStatus(process.env);
    if (json) return printJson(record(status));
    printTable(rows(status), { PART: ([name]) => name, STATE: ([, text]) => text }, false);
    for (const problem of status.problems) printNote(`plantstore: ${problem}`);
  });
}

function rows({ version, commit, server, database, figures, backups }: Status): [string, string][] {
  const { bytes, diskFreeBytes } = database;
  const size =
    bytes === undefined ? "" : `, ${gigabytes(bytes)}, with ${gigabytes(diskFreeBytes ?? 0)} free on its disk`;
  return [
    ["version", commit === null ? version : `${version}, commit ${commit}`],
    ["server", server.ready ? `${server.url} is ready` : `${server.url} is not ready: ${server.reason}`],
    ["database", `${database.address}${size}`],
    ...(figures ? [plantsRow(figures)] : []),
    ["backups", backups ? backupText(backups) : "none are made: BACKUP_TO is not set, or cannot be read"],
    ...(figures?.failing ?? []).map(({ id, account, url, status, failingSince }): [string, string] => [
      "failing",
      `${id} of ${account}, ${url}: ${status}${failingSince === undefined ? "" : ` since ${timestamp(failingSince)}`}`,
    ]),
  ];
}

function plantsRow({ plants, accounts }: NonNullable<Status["figures"]>): [string, string] {
  return ["plants", `${counted(plants, "plant")} of ${counted(accounts, "account")}`];
}

function backupText({ count, newest }: NonNullable<Status["backups"]>): string {
  return newest === undefined ? "none yet" : `${count}, the newest of ${newest}`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0)} GB`;
}

/** With the member names of the API. */
function record({ version, commit, server, database, figures, backups, problems }: Status) {
  const { address, bytes, diskFreeBytes } = database;
  return {
    version,
    commit,
    server,
    database: { address, bytes, disk_free_bytes: diskFreeBytes },
    accounts: figures?.accounts,
    plants: figures?.plants,
    backups: backups ?? null,
    failing_endpoints: figures?.failing.map(({ failingSince, ...endpoint }) => ({
      ...endpoint,
      ...(failingSince === undefined ? {} : { failing_since: timestamp(failingSince) }),
    })),
    problems,
  };
}
