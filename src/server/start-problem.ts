import { SQLiteError } from "bun:sqlite";
import { UnknownDatabaseUrl } from "#storage/open.ts";
import { ForeignDatabase } from "#storage/sqlite/connection.ts";
import { MetricsAddressUnusable } from "./metrics.ts";
import type { Settings } from "./settings.ts";

/** An error at the start as one line that names the setting to correct; unchanged if no setting explains it. */
export function startProblem(error: unknown, settings: Settings): unknown {
  const { DATABASE_URL: url, HOST, PORT } = settings;
  if (error instanceof MetricsAddressUnusable) {
    const problem = hasCode(error.cause, "EADDRINUSE") ? "is in use by another program" : "cannot be listened on";
    return new Error(`METRICS ${error.message} ${problem}`);
  }
  if (hasCode(error, "EADDRINUSE")) return new Error(`PORT ${PORT} on HOST ${HOST} is in use by another program`);
  if (isListening(error) || hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EAI_NONAME")) {
    return new Error(`HOST ${HOST} with PORT ${PORT} cannot be listened on`);
  }
  if (error instanceof ForeignDatabase) return new Error(`DATABASE_URL cannot be used: ${error.message}`);
  if (error instanceof UnknownDatabaseUrl) return new Error(`DATABASE_URL ${error.message}`);
  if (error instanceof SQLiteError || isFileProblem(error)) {
    // The address of a PostgreSQL database may hold its password.
    const named = url.startsWith("sqlite:") ? `DATABASE_URL ${url}` : "DATABASE_URL";
    return new Error(`${named} cannot be used: ${error.message}`);
  }
  return error;
}

/** For a host name or port that cannot be listened on, the runtime uses error codes of files. */
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
