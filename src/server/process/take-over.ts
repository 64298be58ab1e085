import type { Log } from "#core/log.ts";
import { hostsOf, InvalidSetting, type Settings, sqlitePath } from "../settings.ts";
import { tryLock } from "./file-lock.ts";
import { pidFile, readPidFile, removePidFile, type ServerProcess, writePidFile } from "./pid-file.ts";
import { forgetSettings, recordSettings } from "./running-settings.ts";

/** Tells a running server that another one has taken over its port. */
export const HAND_OVER_SIGNAL = "SIGUSR2";

/** The port that was taken over, as `restart` is told by the server that it has started. */
export interface TakenOver {
  readonly port: number;
  /** The servers that were told to leave. */
  readonly from: readonly ServerProcess[];
}

/** The pid file of the servers of this database that take over from each other. Throws InvalidSetting if none can. */
export function takeOverFile(settings: Settings): string {
  if (process.platform !== "linux")
    throw new InvalidSetting("Servers take over from each other on Linux only; stop the server, then start it");
  const path = sqlitePath(settings);
  if (path === undefined) {
    throw new InvalidSetting(
      "Servers take over from each other on a SQLite database; on PostgreSQL, restart one node after the other",
    );
  }
  return pidFile(path);
}

/**
 * Takes over from the server on the same database without an interruption: both listen on one port (SO_REUSEPORT), and
 * the old one leaves when the new one is ready. From its start to that moment a new server holds a lock, so that of
 * several that start at once each takes over from the one before.
 */
export class TakeOver {
  private constructor(
    private readonly file: string,
    private readonly log: Log,
    private lock: Disposable | undefined,
  ) {}

  /** Waits until no other server of this database is starting. */
  static async begin(settings: Settings, log: Log, signal: AbortSignal | undefined): Promise<TakeOver> {
    const file = takeOverFile(settings);
    for (;;) {
      signal?.throwIfAborted();
      const lock = tryLock(`${file}.lock`);
      if (lock) return new TakeOver(file, log, lock);
      await Bun.sleep(50);
    }
  }

  /**
   * The port to share. Throws an error with the code EADDRINUSE if a server of another database uses it, since requests
   * would then go to either of them.
   */
  port(settings: Settings): number {
    const { PORT } = settings;
    const [{ port } = { port: undefined }] = readPidFile(this.file);
    if (port !== undefined && (PORT === 0 || PORT === port)) return port;
    requireFree(settings);
    return PORT;
  }

  /** Called when this server is ready, so that those before it may leave. */
  complete(port: number): TakenOver {
    const from = readPidFile(this.file);
    // Names the others too, so that they are still reached if this process is killed before it has told them.
    writePidFile(this.file, port, from);
    recordSettings(this.file, process.env);
    for (const { pid } of from) this.#tellToLeave(pid);
    this.#release();
    return { port, from };
  }

  /** The file stays while another server is starting, which replaces it. */
  close(): void {
    this.lock ??= tryLock(`${this.file}.lock`);
    if (this.lock && removePidFile(this.file)) forgetSettings(this.file);
    this.#release();
  }

  #tellToLeave(pid: number): void {
    this.log.info({ pid }, "taking over from the server that runs");
    try {
      process.kill(pid, HAND_OVER_SIGNAL);
    } catch (error) {
      // It has ended by itself in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  #release(): void {
    this.lock?.[Symbol.dispose]();
    this.lock = undefined;
  }
}

/** Throws the error of the system if the port cannot be listened on, or already is. `setting` of the error names the port. */
export function requireFree(
  settings: Pick<Settings, "HOST" | "PORT" | "HTTP_PORT">,
  setting: PortSetting = "PORT",
): void {
  for (const [at, hostname] of hostsOf(settings).entries()) {
    try {
      Bun.listen({ hostname, port: settings[setting], exclusive: true, socket: { data() {} } }).stop(true);
    } catch (error) {
      // A machine may have no IPv6, the second of the usual addresses.
      if (at > 0 && hostname === "::" && (error as NodeJS.ErrnoException).code !== "EADDRINUSE") continue;
      // The runtime's error has no `syscall` for some addresses.
      throw Object.assign(error as Error, { syscall: "listen", setting });
    }
  }
}

type PortSetting = "PORT" | "HTTP_PORT";
