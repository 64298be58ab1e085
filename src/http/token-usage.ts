import type { Token } from "#core/token.ts";
import { OUTCOME_CREATED, OUTCOME_OTHER, type UsageCount } from "#core/usage.ts";

/** Counts a token's answers in memory: an addition is all that a request pays. */
export class TokenUsage {
  created = 0;
  other = 0;
  #refused: Map<number, number> | undefined;

  /** `error`: as in the Error shape. */
  refused(error: number): void {
    this.#refused ??= new Map();
    this.#refused.set(error, (this.#refused.get(error) ?? 0) + 1);
  }

  /** What was counted since the last time; nothing for the dashboard's own tokens. */
  take(token: Token, at: number): UsageCount[] {
    const taken: [outcome: number, count: number][] = [...(this.#refused ?? [])];
    if (this.created > 0) taken.push([OUTCOME_CREATED, this.created]);
    if (this.other > 0) taken.push([OUTCOME_OTHER, this.other]);
    this.created = this.other = 0;
    this.#refused = undefined;
    if (token.sessionBound) return [];
    return taken.map(([outcome, count]) => ({ account: token.account, token: token.id, at, outcome, count }));
  }
}
