import type { Command } from "commander";
import { counted } from "#contract/counted.ts";
import type { Status } from "#server/operator/status.ts";
import { command } from "../command.ts";
import { printJson, printNote, printTable } from "../output.ts";

export function statusCommand(): Command {
  return command(
    "status",
    "show the version, the server, the database, the certificate, mail, backups, and failing webhook endpoints; exits with 1 if the server is down or not ready",
    "plantstore status --json",
  ).action(async ({ json }: { readonly json?: boolean }) => {
    const { readStatus } = await import("#server/operator/status.ts");
    const status = await readStatus(process.env);
    if (!status.server.ready) process.exitCode = 1;
    if (json) return printJson(status);
    printTable(rows(status), { PART: ([name]) => name, STATE: ([, text]) => text }, false);
    for (const problem of status.problems) printNote(`plantstore: ${problem}`);
  });
}

function rows({ version, commit, server, database, ...found }: Status): [string, string][] {
  const { accounts = 0, plants, backups, failing_endpoints: failing = [] } = found;
  const { address, bytes, disk_free_bytes: free = 0 } = database;
  const size = bytes === undefined ? "" : `, ${sizeOf(bytes)}, with ${sizeOf(free)} free on its disk`;
  const figures = plants === undefined ? [] : [`${counted(plants, "plant")} of ${counted(accounts, "account")}`];
  return [
    ["version", commit === null ? version : `${version}, commit ${commit}`],
    ["server", serverText(server)],
    ["database", `${address}${size}`],
    ...copyRows(found),
    ...figures.map((text): [string, string] => ["plants", text]),
    ...(found.https ? [["https", httpsText(found.https)] satisfies [string, string]] : []),
    ...(found.mail ? [["mail", mailText(found.mail)] satisfies [string, string]] : []),
    ["backups", backups ? backupText(backups) : "none are made: BACKUP_TO is not set"],
    ...failing.map(({ id, account, url, status, failing_since }): [string, string] => [
      "failing",
      `${id} of ${account}, ${url}: ${status}${failing_since === undefined ? "" : ` since ${failing_since}`}`,
    ]),
  ];
}

function copyRows({ drill_since, restored }: Pick<Status, "drill_since" | "restored">): [string, string][] {
  const copy = restored && `a copy restored at ${restored.at} from ${restored.backup}`;
  // One of an older release has no record of its backup.
  if (drill_since)
    return [["drill", `${copy ?? `a copy restored at ${drill_since}`}: \`plantstore drill end\` ends it`]];
  return copy ? [["restored", copy]] : [];
}

function serverText({ ready, url, reason, same_database }: Status["server"]): string {
  if (!ready) return `${url} is not ready: ${reason}`;
  return same_database === false ? `${url} is ready, and serves another database` : `${url} is ready`;
}

function httpsText({ names, missing, issuer, ends, last_attempt_at, error }: NonNullable<Status["https"]>): string {
  const without = missing.length > 0 ? `, without ${missing.join(", ")}` : "";
  const certificate = ends === undefined ? "no certificate yet" : `by ${issuer} until ${ends}${without}`;
  return `${names.join(", ")}: ${certificate}${error === undefined ? "" : `; the attempt at ${last_attempt_at} failed: ${error}`}`;
}

function mailText({ last_sent_at, ...failure }: NonNullable<Status["mail"]>): string {
  return withFailure(last_sent_at === null ? "none sent yet" : `last sent at ${last_sent_at}`, failure);
}

function backupText({ to, count, newest, ...failure }: NonNullable<Status["backups"]>): string {
  const kept = count === null ? `${to} cannot be read` : count === 0 ? `none yet, to ${to}` : `${count} in ${to}`;
  return withFailure(newest === null ? kept : `${kept}, the newest of ${newest}`, failure);
}

function withFailure(state: string, { last_failed_at, error }: Failed): string {
  return last_failed_at === null ? state : `${state}, last failed at ${last_failed_at}: ${error}`;
}

type Failed = Pick<NonNullable<Status["mail"]>, "last_failed_at" | "error">;

function sizeOf(bytes: number): string {
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0)} GB`;
}
