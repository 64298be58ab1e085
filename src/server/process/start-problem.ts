import { SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UnknownDatabaseUrl } from "#storage/open.ts";
import { ROOM_BYTES } from "#storage/readiness.ts";
import { UnusableFile } from "#storage/sqlite/connection.ts";
import { isBusy } from "#storage/sqlite/errors.ts";
import { type Settings, sqlitePath } from "../settings.ts";
import { MetricsAddressUnusable } from "../wiring/metrics.ts";
import { holderOf } from "./port-holder.ts";
import { fileProblem } from "./user-name.ts";

/** An error at the start as one line that names the setting to correct; unchanged if no setting explains it. */
export async function startProblem(error: unknown, settings: Settings): Promise<unknown> {
  const { DATABASE_URL: url } = settings;
  if (error instanceof MetricsAddressUnusable) {
    const problem = hasCode(error.cause, "EADDRINUSE") ? "is in use by another program" : "cannot be listened on";
    return new Error(`METRICS ${error.message} ${problem}`);
  }
  if (isListening(error) || hasCode(error, "EADDRINUSE", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EAI_NONAME")) {
    return new Error(await listenProblem(error as Error, settings));
  }
  if (error instanceof UnusableFile)
    return new Error(`DATABASE_URL cannot be used: ${foreignFile(error) ?? error.message}`);
  if (error instanceof UnknownDatabaseUrl) return new Error(`DATABASE_URL ${error.message}`);
  if (!(error instanceof SQLiteError || error instanceof URIError || isFileProblem(error))) return error;
  // The address of a PostgreSQL database may hold its password.
  const named = url.startsWith("sqlite:") ? `DATABASE_URL ${url}` : "DATABASE_URL";
  return new Error(`${named} cannot be used: ${databaseProblem(error, settings)}`);
}

function databaseProblem(error: Error, settings: Settings): string {
  if (isBusy(error)) return "another program holds the file, and lets nobody else in: end that program";
  const path = error instanceof SQLiteError ? sqlitePath(settings) : undefined;
  return (path && (closedFile(path) ?? fullDisk(path))) ?? error.message;
}

/** Names both users where a file belongs to another one, whom the storage knows by their numbers alone. */
function foreignFile({ cause }: UnusableFile): string | undefined {
  if (!hasCode(cause, "EACCES", "EPERM")) return undefined;
  const { path } = cause as NodeJS.ErrnoException;
  if (path === undefined || statSync(path).uid === process.getuid?.()) return undefined;
  return `${resolve(path)} ${fileProblem(path, cause)}`;
}

/** SQLite has the same words for a disk without room for its files as for one that is broken. */
function fullDisk(path: string): string | undefined {
  if (!existsSync(dirname(path))) return undefined;
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < ROOM_BYTES ? `its disk is full, with ${bavail * bsize} bytes free` : undefined;
}

/** Says who owns the database's file or folder if that is why it cannot be opened, which SQLite does not say. */
function closedFile(path: string): string | undefined {
  const used = [dirname(path), path, `${path}-wal`, `${path}-shm`].filter(existsSync);
  for (const each of used) {
    try {
      accessSync(each, constants.R_OK | constants.W_OK);
    } catch (error) {
      return `${resolve(each)} ${fileProblem(each, error)}`;
    }
  }
  return undefined;
}

async function listenProblem(error: Error, { HOST, ...settings }: Settings): Promise<string> {
  const setting = "setting" in error && error.setting === "HTTP_PORT" ? "HTTP_PORT" : "PORT";
  const port = settings[setting];
  if (hasCode(error, "EADDRINUSE"))
    return `${setting} ${port} on HOST ${HOST} is in use by ${await holderOf(port, HOST)}`;
  if (port >= 1024 || port === 0 || !hasCode(error, "EACCES"))
    return `HOST ${HOST} with ${setting} ${port} cannot be listened on`;
  return `${setting} ${port} is refused by the system, as every port below 1024 to most users: give the service CAP_NET_BIND_SERVICE, as deploy/plantstore.service does, or set ${setting} above 1023 and let a container or the firewall map ${port} to it`;
}

/** Whether listening failed; the runtime uses file error codes for a bad host name or port too. */
function isListening(error: unknown): boolean {
  return (
    error instanceof Error && "syscall" in error && (error.syscall === "listen" || error.syscall === "getaddrinfo")
  );
}

function isFileProblem(error: unknown): error is Error {
  return hasCode(error, "EACCES", "EEXIST", "ENOTDIR", "EROFS", "EPERM", "ENOSPC", "ENOENT", "EISDIR", "EIO");
}

function hasCode(error: unknown, ...codes: readonly string[]): error is Error {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
