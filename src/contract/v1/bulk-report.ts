import type { Failure } from "#core/failure.ts";

export interface RefusedRecord {
  readonly line: number;
  readonly failure: Failure;
}

/** The outcomes of a record that was not refused. */
export type BulkOutcome = "created" | "updated" | "unchanged" | "removed" | "missing";

/** Counts the outcomes of a bulk request. Records may be counted in any order. */
export class BulkReport {
  failed = 0;
  readonly #counts = new Map<BulkOutcome, number>();
  #errors: RefusedRecord[] = [];

  /** The outcomes are those that the answer counts, in its order. */
  constructor(
    private readonly errorsMax: number,
    outcomes: readonly BulkOutcome[],
  ) {
    for (const outcome of outcomes) this.#counts.set(outcome, 0);
  }

  get counts(): Readonly<Partial<Record<BulkOutcome, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /** The refusals with the lowest line numbers, in order, at most as many as were asked for. */
  get errors(): readonly RefusedRecord[] {
    this.#forgetLater();
    return this.#errors;
  }

  refuse(line: number, failure: Failure): void {
    this.failed++;
    this.#errors.push({ line, failure });
    if (this.#errors.length > 2 * this.errorsMax) this.#forgetLater();
  }

  count(outcome: BulkOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  #forgetLater(): void {
    this.#errors.sort((a, b) => a.line - b.line);
    this.#errors.length = Math.min(this.#errors.length, this.errorsMax);
  }
}
