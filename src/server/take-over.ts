import type { Log } from "#core/log.ts";
import { pidFile, readPidFile, removePidFile, type ServerProcess, writePidFile } from "./pid-file.ts";
import { InvalidSetting, type Settings } from "./settings.ts";

/** Tells a running server that another one has taken over its port. */
export const HAND_OVER_SIGNAL = "SIGUSR2";

/**
 * Takes over from the server on the same database without an interruption: both listen on one port (SO_REUSEPORT), and
 * the old one leaves when the new one is ready.
 */
export class TakeOver {
  readonly #file: string;
  readonly #predecessor: ServerProcess | undefined;
  readonly #log: Log;

  /** Throws InvalidSetting if taking over cannot work. */
  constructor({ DATABASE_URL: url }: Settings, log: Log) {
    if (process.platform !== "linux")
      throw new InvalidSetting("TAKE_OVER works on Linux only; stop the server, then start it");
    if (!url.startsWith("sqlite:")) {
      throw new InvalidSetting("TAKE_OVER is for a SQLite database; on PostgreSQL, restart one node after the other");
    }
    this.#file = pidFile(url.slice("sqlite:".length));
    this.#predecessor = readPidFile(this.#file);
    this.#log = log;
  }

  /**
   * The port to share. Throws an error with the code EADDRINUSE if a server of another database uses it, since requests
   * would then go to either of them.
   */
  port({ HOST, PORT }: Settings): number {
    const { port } = this.#predecessor ?? {};
    if (port !== undefined && (PORT === 0 || PORT === port)) return port;
    const listener = Bun.listen({ hostname: HOST, port: PORT, exclusive: true, socket: { data() {} } });
    listener.stop(true);
    return PORT;
  }

  /** Called when this server is ready, so that the one before it may leave. */
  complete(port: number): void {
    writePidFile(this.#file, port);
    if (!this.#predecessor) return;
    const { pid } = this.#predecessor;
    this.#log.info({ pid }, "taking over from the server that runs");
    try {
      process.kill(pid, HAND_OVER_SIGNAL);
    } catch (error) {
      // It has ended by itself in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  close(): void {
    removePidFile(this.#file);
  }
}
