import type { EndedRequest } from "#core/request.ts";
import type { Token } from "#core/token.ts";
import { OUTCOME_CREATED, OUTCOME_OTHER, type UsageCount } from "#core/usage.ts";

/** The members of a request that count. */
export type Counted = Pick<EndedRequest, "created" | "errorNumber">;

/** Counts a token's answers in memory: an addition is all that a request pays. */
export class TokenUsage {
  #created = 0;
  #other = 0;
  #refused: Map<number, number> | undefined;

  count({ created, errorNumber }: Counted): void {
    this.#created += created;
    if (errorNumber !== undefined) this.#countRefusal(errorNumber);
    else if (created === 0) this.#other++;
  }

  /** Gives what was counted since the last time. Of a token of the dashboard page only the plants it created count. */
  take(token: Token, at: number): UsageCount[] {
    const taken: [outcome: number, count: number][] = token.sessionBound ? [] : [...(this.#refused ?? [])];
    if (this.#created > 0) taken.push([OUTCOME_CREATED, this.#created]);
    if (this.#other > 0 && !token.sessionBound) taken.push([OUTCOME_OTHER, this.#other]);
    this.#created = this.#other = 0;
    this.#refused = undefined;
    const id = token.sessionBound ? undefined : token.id;
    return taken.map(([outcome, count]) => ({ account: token.account, token: id, at, outcome, count }));
  }

  #countRefusal(error: number): void {
    this.#refused ??= new Map();
    this.#refused.set(error, (this.#refused.get(error) ?? 0) + 1);
  }
}
