import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";

export const EXPORTS_AT_ONCE_MAX = 32;
/** The last connections are reserved for accounts with few running exports. */
const KEPT_FOR_FEW = 8;
const FEW = 2;

/**
 * Admits exports. Each holds a connection for as long as its reader reads, so a few accounts with stalled readers could
 * take all connections.
 */
export class ExportSlots {
  readonly #running = new Map<AccountNumber, number>();
  #total = 0;

  /** Throws "rate-limited" if the account has to wait. Call the returned function when the export has ended. */
  begin(account: AccountNumber): () => void {
    const running = this.#running.get(account) ?? 0;
    if (running >= FEW && this.#total >= EXPORTS_AT_ONCE_MAX - KEPT_FOR_FEW) throw tooMany();
    this.#running.set(account, running + 1);
    this.#total++;
    return () => {
      this.#total--;
      const left = (this.#running.get(account) ?? 1) - 1;
      if (left > 0) this.#running.set(account, left);
      else this.#running.delete(account);
    };
  }
}

function tooMany(): Failure {
  return new Failure(
    "rate-limited",
    "Too many exports are under way, some of them this account's; wait for one to end",
    {
      headers: { "Retry-After": "5" },
    },
  );
}
