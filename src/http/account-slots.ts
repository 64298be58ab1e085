import { tooManyAtOnce, unavailable } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";

export interface SlotLimits {
  /** In the plural, as in "exports". */
  readonly name: string;
  readonly accountMax: number;
  readonly nodeMax?: number;
}

/** Counts the running work of one kind for each account on this node: exports, streams or waiting requests. */
export class AccountSlots {
  readonly #limits: SlotLimits;
  readonly #taken = new Map<AccountNumber, number>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Throws "rate-limited" beyond the account's limit, "unavailable" beyond the node's. Call the returned function when
   * the work has ended; later calls do nothing.
   */
  take(account: AccountNumber): () => void {
    const { name, accountMax, nodeMax = Number.POSITIVE_INFINITY } = this.#limits;
    const before = this.#taken.get(account) ?? 0;
    if (before >= accountMax) throw tooManyAtOnce(name, accountMax);
    if (this.#total >= nodeMax) throw unavailable(`This node has as many ${name} as it can have. Try again.`);
    this.#taken.set(account, before + 1);
    this.#total++;
    let ended = false;
    return () => {
      if (!ended) this.#end(account);
      ended = true;
    };
  }

  #end(account: AccountNumber): void {
    this.#total--;
    const left = (this.#taken.get(account) ?? 1) - 1;
    if (left === 0) this.#taken.delete(account);
    else this.#taken.set(account, left);
  }
}
