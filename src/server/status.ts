import { existsSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type DatabaseFigures, readFigures } from "#storage/figures.ts";
import { openStorage } from "#storage/open.ts";
import { openBackups } from "./backups.ts";
import { type Health, serverHealth } from "./health.ts";
import { releaseInfo } from "./release.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The state of a service for its operator. A part that cannot be read has its problem in its place. */
export interface Status {
  readonly version: string;
  readonly commit: string | null;
  readonly server: Health;
  /** Sizes in bytes, of SQLite alone. Nothing of a database that is not there yet. */
  readonly database: { readonly address: string; readonly bytes?: number; readonly diskFreeBytes?: number };
  readonly figures?: DatabaseFigures;
  readonly backups?: { readonly count: number; readonly newest?: string };
  readonly problems: readonly string[];
}

export async function readStatus(environment: Readonly<Record<string, string | undefined>>): Promise<Status> {
  const settings = readSettings(environment);
  const problems: string[] = [];
  const noted = async <T>(part: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      problems.push(`${part}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const { version, commit } = releaseInfo();
  const path = sqlitePath(settings);
  const isThere = path === undefined || existsSync(path);
  return {
    version,
    commit,
    server: await serverHealth(environment),
    database: { address: addressOf(settings), ...(path === undefined || !isThere ? {} : await sizes(path)) },
    figures: isThere ? await noted("database", () => figuresOf(settings)) : undefined,
    backups: settings.BACKUP_TO === undefined ? undefined : await noted("backups", () => backupsOf(settings)),
    problems,
  };
}

function sqlitePath({ DATABASE_URL: url }: Settings): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
}

/** Without the user and the password. */
function addressOf(settings: Settings): string {
  const path = sqlitePath(settings);
  if (path !== undefined) return `sqlite:${path}`;
  const { host, pathname } = new URL(settings.DATABASE_URL);
  return `postgres://${host}${pathname}`;
}

async function sizes(path: string) {
  const { bavail, bsize } = await statfs(dirname(path));
  return { bytes: (await stat(path)).size, diskFreeBytes: bavail * bsize };
}

async function figuresOf(settings: Settings): Promise<DatabaseFigures> {
  const storage = await openStorage(settings.DATABASE_URL, { isCommand: true });
  try {
    return await readFigures(storage);
  } finally {
    await storage.store.close();
  }
}

async function backupsOf(settings: Settings) {
  const { service, source } = openBackups(settings);
  const { backups } = await service.list({ destination: await source(), database: undefined });
  const newest = backups.at(-1);
  return { count: backups.length, ...(newest === undefined ? {} : { newest: newest.at }) };
}
