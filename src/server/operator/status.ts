import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { timestamp } from "#contract/timestamp.ts";
import { UnusableDatabase } from "#core/failure.ts";
import { databaseIdentity } from "#storage/database-identity.ts";
import { type DatabaseFigures, readFigures } from "#storage/figures.ts";
import type { Outcomes } from "#storage/outcomes.ts";
import { serverHealth } from "../process/health.ts";
import { releaseInfo } from "../process/release.ts";
import { isHttps, readSettings, type Settings, sqlitePath } from "../settings.ts";
import { type BackupSummary, openBackups } from "../wiring/backups.ts";
import { addressOf, openExisting, requireDatabaseFile } from "./operator.ts";

/** The state of a service for its operator, as it is printed; `problems` says why a part is missing. */
export type Status = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(environment);
  const problems: string[] = [];
  const noted = async <T>(part: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof UnusableDatabase) throw error;
      problems.push(`${part}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const { version, commit } = releaseInfo();
  const path = sqlitePath(settings);
  requireDatabaseFile(settings);
  const { database: ofServer, ...server } = await serverHealth(environment);
  // Sizes are of SQLite alone.
  const database = { address: addressOf(settings), ...(path === undefined ? {} : await sizes(path)) };
  const figures = await noted("database", () => figuresOf(settings));
  const https = isHttps(settings) ? await noted("https", async () => httpsOf(settings)) : undefined;
  const isSame = figures?.identity !== undefined && ofServer !== undefined ? figures.identity === ofServer : undefined;
  if (isSame === false)
    problems.push(`server: it runs on another database than ${database.address}: is DATABASE_URL the server's?`);
  return {
    version,
    commit,
    server: { ...server, same_database: isSame ?? null },
    database,
    accounts: figures?.accounts,
    plants: figures?.plants,
    drill_since: figures?.drillSince ?? null,
    restored: figures?.restored ?? null,
    https: https ?? null,
    mail: settings.SMTP_URL === undefined ? null : mailOf(figures?.mail),
    backups:
      settings.BACKUP_TO === undefined
        ? null
        : backupsOf(settings.BACKUP_TO, await noted("backups", () => listed(settings)), figures?.backup),
    failing_endpoints: figures?.failing.map(({ failingSince, ...endpoint }) => ({
      ...endpoint,
      failing_since: failingSince === undefined ? undefined : timestamp(failingSince),
    })),
    problems,
  };
}

function mailOf({ succeededAt, failedAt, error }: Outcomes = {}) {
  return { last_sent_at: succeededAt ?? null, last_failed_at: failedAt ?? null, error: error ?? null };
}

/** The certificate, and the last attempt to fetch another. */
async function httpsOf(settings: Settings) {
  const { certificateFiles, certificateFolder } = await import("../listening/https.ts");
  const { missingNames } = await import("#certificates/renewal-job.ts");
  const certificate = certificateFiles(settings).readIfThere();
  const { lastAt, problem } = certificateFolder(settings)?.readState() ?? {};
  return {
    names: certificate?.names ?? settings.DOMAIN,
    /** Names that the certificate is without, until the authority takes them. */
    missing: certificate ? missingNames(settings.DOMAIN, certificate) : [],
    issuer: certificate?.issuer,
    ends: certificate && timestamp(certificate.until),
    last_attempt_at: lastAt === undefined ? undefined : timestamp(lastAt),
    error: problem,
  };
}

async function sizes(path: string): Promise<{ bytes?: number; disk_free_bytes?: number }> {
  const { bavail, bsize } = await statfs(dirname(path));
  return { bytes: (await stat(path)).size, disk_free_bytes: bavail * bsize };
}

async function figuresOf(settings: Settings): Promise<DatabaseFigures & { readonly identity: string | undefined }> {
  const storage = await openExisting(settings);
  try {
    const identity = await databaseIdentity(settings.DATABASE_URL, storage.db)();
    return { ...(await readFigures(storage)), identity };
  } finally {
    await storage.records.close();
  }
}

async function listed(settings: Settings): Promise<readonly BackupSummary[]> {
  const { service, source } = openBackups(settings);
  return (await service.list({ destination: await source(), database: undefined })).backups;
}

/** Those at the place, unless it cannot be read, and what the last runs of the schedule came to. */
function backupsOf(to: string, found: readonly BackupSummary[] | undefined, outcomes: Outcomes = {}) {
  const { succeededAt, failedAt, error } = outcomes;
  return {
    to,
    count: found?.length ?? null,
    newest: (found ? found.at(-1)?.at : succeededAt) ?? null,
    last_failed_at: failedAt ?? null,
    error: error ?? null,
  };
}
