import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";

const RUNNING_MAX = 8;

/** How many exports each account has under way: every one holds a snapshot of the whole store. */
export class RunningExports {
  readonly #running = new Map<AccountNumber, number>();

  /** Throws "rate-limited" past the limit. Call what it returns when the export has ended; later calls do nothing. */
  begin(account: AccountNumber): () => void {
    const before = this.#running.get(account) ?? 0;
    if (before >= RUNNING_MAX) throw tooMany();
    this.#running.set(account, before + 1);
    let ended = false;
    return () => {
      if (!ended) this.#end(account);
      ended = true;
    };
  }

  #end(account: AccountNumber): void {
    const left = (this.#running.get(account) ?? 1) - 1;
    if (left === 0) this.#running.delete(account);
    else this.#running.set(account, left);
  }
}

/** The headers are those of draft-ietf-httpapi-ratelimit-headers-10, with its quota unit for what runs at once. */
function tooMany(): Failure {
  return new Failure("rate-limited", `This account has ${RUNNING_MAX} exports under way; wait for one to end`, {
    headers: {
      "Retry-After": "5",
      "RateLimit-Policy": `"exports";q=${RUNNING_MAX};qu="concurrent-requests"`,
      RateLimit: '"exports";r=0;t=5',
    },
  });
}
