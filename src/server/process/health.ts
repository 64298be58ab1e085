import { DATABASE_HEADER } from "#http/routes/health.ts";
import { hostsOf, InvalidSetting, isHttps, readSettings, type Settings } from "../settings.ts";
import { pidFile, readPidFile } from "./pid-file.ts";

/** Listening addresses that mean every address of the machine. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

export interface Health {
  readonly ready: boolean;
  readonly url: string;
  readonly reason?: string;
  /** The identity of its database, if it is ready. */
  readonly database?: string;
}

/** Asks the server with the same settings on this machine whether it accepts requests. */
export async function serverHealth(environment: Readonly<Record<string, string | undefined>>): Promise<Health> {
  const settings = readSettings(environment);
  const { address, port } = localServer(settings);
  if (port === undefined) return { ready: false, url: address, reason: "no server with these settings runs here" };
  const url = `${address}:${port}/readyz`;
  try {
    // Its certificate is for the names of the service, and no secret is sent.
    const tls = { rejectUnauthorized: false };
    const answer = await fetch(url, { proxy: false, tls, signal: AbortSignal.timeout(5000) });
    const database = answer.headers.get(DATABASE_HEADER) ?? undefined;
    if (answer.ok) return { ready: true, url, ...(database && { database }) };
    return { ready: false, url, reason: `it answers ${answer.status}${await problemIn(answer)}` };
  } catch (error) {
    return { ready: false, url, reason: unreachable(error) };
  }
}

/** The server with these settings on this machine. Its port is undefined if it picks one itself, and none is known to run. */
function localServer(settings: Settings) {
  const [host = ""] = hostsOf(settings);
  const { PORT, DATABASE_URL } = settings;
  const port = PORT || readPidFile(pidFile(DATABASE_URL.replace(/^sqlite:/, "")))[0]?.port;
  return { address: `${isHttps(settings) ? "https" : "http"}://${reachableHost(host)}`, port };
}

/** Where a client on this machine reaches the server with these settings: over HTTPS by a name of its certificate. */
export function localUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const settings = readSettings(environment);
  const { address, port } = localServer(settings);
  if (isHttps(settings) && settings.BASE_URL !== undefined) return settings.BASE_URL;
  if (port === undefined)
    throw new InvalidSetting("PORT is 0, and no server with these settings is known to run: name its address by --url");
  return `${address}:${port}`;
}

/** An address to listen on as one to be called at, in the form of a URL. */
export function reachableHost(host: string): string {
  return EVERY_ADDRESS[host] ?? (host.includes(":") ? `[${host}]` : host);
}

/** The service's own message about what is wrong; empty if another program answers. */
async function problemIn(answer: Response): Promise<string> {
  const { message } = await answer.json().catch(() => ({}));
  return typeof message === "string" ? `: ${message}` : "";
}

function unreachable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it has not answered for 5 s";
  return "code" in error && /ECONNREFUSED|ConnectionRefused/.test(String(error.code))
    ? "no server listens there"
    : error.message;
}
