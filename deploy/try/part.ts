import { closeSync, existsSync, openSync, readFileSync } from "node:fs";

const RESTART_DELAY_MS = 1000;

/** One process of the cluster. If it dies or is killed, it is started again after a second, as by systemd. */
export class Part {
  #child: Bun.Subprocess | undefined;
  #wanted = false;

  constructor(
    readonly name: string,
    private readonly command: readonly string[],
    private readonly logFile: string,
    private readonly environment: Readonly<Record<string, string>> = {},
  ) {}

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): void {
    this.#wanted = true;
    const log = openSync(this.logFile, "a");
    const { PATH = "" } = process.env;
    const child = Bun.spawn([...this.command], {
      cwd: "/",
      env: { PATH, LC_ALL: "C.UTF-8", ...this.environment },
      stdin: "ignore",
      stdout: log,
      stderr: log,
    });
    closeSync(log);
    this.#child = child;
    void child.exited.then(async () => {
      await Bun.sleep(RESTART_DELAY_MS);
      if (this.#wanted && this.#child === child) this.start();
    });
  }

  /** SIGKILL. It comes back after a second. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  /** Ends it until it is started again. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.#wanted = false;
    this.#child?.kill(signal);
    await this.#child?.exited;
  }

  log(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, "utf8").slice(-3000) : "";
  }
}
