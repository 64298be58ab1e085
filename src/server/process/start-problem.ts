import { SQLiteError } from "bun:sqlite";
import { UnknownDatabaseUrl } from "#storage/open.ts";
import { UnusableFile } from "#storage/sqlite/connection.ts";
import { isBusy } from "#storage/sqlite/errors.ts";
import type { Settings } from "../settings.ts";
import { MetricsAddressUnusable } from "../wiring/metrics.ts";

/** An error at the start as one line that names the setting to correct; unchanged if no setting explains it. */
export function startProblem(error: unknown, settings: Settings): unknown {
  const { DATABASE_URL: url } = settings;
  if (error instanceof MetricsAddressUnusable) {
    const problem = hasCode(error.cause, "EADDRINUSE") ? "is in use by another program" : "cannot be listened on";
    return new Error(`METRICS ${error.message} ${problem}`);
  }
  if (isListening(error) || hasCode(error, "EADDRINUSE", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EAI_NONAME")) {
    return new Error(listenProblem(error as Error, settings));
  }
  if (error instanceof UnusableFile) return new Error(`DATABASE_URL cannot be used: ${error.message}`);
  if (error instanceof UnknownDatabaseUrl) return new Error(`DATABASE_URL ${error.message}`);
  if (error instanceof SQLiteError || error instanceof URIError || isFileProblem(error)) {
    // The address of a PostgreSQL database may hold its password.
    const named = url.startsWith("sqlite:") ? `DATABASE_URL ${url}` : "DATABASE_URL";
    const reason = isBusy(error)
      ? "another program holds the file, and lets nobody else in: end that program"
      : error.message;
    return new Error(`${named} cannot be used: ${reason}`);
  }
  return error;
}

function listenProblem(error: Error, { HOST, ...settings }: Settings): string {
  const setting = "setting" in error && error.setting === "HTTP_PORT" ? "HTTP_PORT" : "PORT";
  const port = settings[setting];
  if (hasCode(error, "EADDRINUSE")) return `${setting} ${port} on HOST ${HOST} is in use by another program`;
  if (port >= 1024 || port === 0 || !hasCode(error, "EACCES"))
    return `HOST ${HOST} with ${setting} ${port} cannot be listened on`;
  return `${setting} ${port} is refused by the system, as every port below 1024 to most users: give the service CAP_NET_BIND_SERVICE, as deploy/plantstore.service does, or set ${setting} above 1023 and let a container or the firewall map ${port} to it`;
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
