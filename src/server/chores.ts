import type { AuthService } from "#accounts/auth-service.ts";
import type { Job } from "#core/job.ts";
import type { Store } from "#core/store.ts";
import type { Log } from "#http/service.ts";
import type { TokenCache } from "#http/token-cache.ts";

const KEEP_EVERY_MS = 2000;
const TIDY_EVERY_MS = 3_600_000;

/** What is done beside the requests: keep what is counted in memory, and forget what is over. */
export class Chores {
  readonly #log: Log;
  readonly #tokens: TokenCache;
  readonly #timers: Timer[];

  #closed = false;

  constructor(tokens: TokenCache, store: Store, authService: AuthService, jobs: readonly Job[], log: Log) {
    this.#log = log;
    this.#tokens = tokens;
    const tidy = async () => {
      const now = Date.now();
      await authService.forgetOld(now);
      await store.usage.forgetOld(now);
      await store.tokens.forgetExpiredSessionBound(now);
    };
    this.#timers = [
      setInterval(() => void this.#keep(), KEEP_EVERY_MS),
      setInterval(() => void this.#try(tidy, "could not remove what is over"), TIDY_EVERY_MS),
    ];
    for (const job of jobs) void this.#repeat(job);
  }

  /** Keeps what is still in memory; nothing is done after that. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#keep();
  }

  /** Until the runner of jobs takes this over. */
  async #repeat(job: Job): Promise<void> {
    await pause(job.firstDelayMs ?? job.intervalMs);
    while (!this.#closed) {
      let delayMs: number | undefined;
      const run = async () => {
        delayMs = await job.run({ now: Date.now(), signal: new AbortController().signal });
      };
      await this.#try(run, `the job ${job.name} failed`);
      await pause(delayMs ?? job.intervalMs);
    }
  }

  async #keep(): Promise<void> {
    await this.#try(() => this.#tokens.keepLastUsed(), "could not keep when tokens were last used");
    await this.#try(() => this.#tokens.keepUsage(), "could not keep what was counted");
  }

  async #try(chore: () => Promise<void>, problem: string): Promise<void> {
    try {
      await chore();
    } catch (error) {
      this.#log.warn({ err: error }, problem);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
