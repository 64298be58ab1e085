import { hostsOf, isHttps, readSettings } from "../settings.ts";
import { pidFile, readPidFile } from "./pid-file.ts";

/** Listening addresses that mean every address of the machine. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

export interface Health {
  readonly ready: boolean;
  readonly url: string;
  readonly reason?: string;
}

/** Asks the server with the same settings on this machine whether it accepts requests. */
export async function serverHealth(environment: Readonly<Record<string, string | undefined>>): Promise<Health> {
  const settings = readSettings(environment);
  const { PORT, DATABASE_URL } = settings;
  const [host = ""] = hostsOf(settings);
  const port = PORT || readPidFile(pidFile(DATABASE_URL.replace(/^sqlite:/, "")))[0]?.port;
  const address = `${isHttps(settings) ? "https" : "http"}://${EVERY_ADDRESS[host] ?? (host.includes(":") ? `[${host}]` : host)}`;
  if (port === undefined) return { ready: false, url: address, reason: "no server with these settings runs here" };
  const url = `${address}:${port}/readyz`;
  try {
    // Its certificate is for the names of the service, and no secret is sent.
    const tls = { rejectUnauthorized: false };
    const { ok, status } = await fetch(url, { proxy: false, tls, signal: AbortSignal.timeout(5000) });
    return ok ? { ready: true, url } : { ready: false, url, reason: `it answers ${status}` };
  } catch (error) {
    return { ready: false, url, reason: error instanceof Error ? error.message : String(error) };
  }
}
