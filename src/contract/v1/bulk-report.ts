import type { Failure } from "#core/failure.ts";
import { type CreateOutcome, idTaken, type NewPlant } from "#core/plant.ts";

export interface RefusedRecord {
  readonly line: number;
  readonly failure: Failure;
}

/** Counts the outcomes of a bulk create. Records may be counted in any order. */
export class BulkReport {
  created = 0;
  unchanged = 0;
  failed = 0;
  #errors: RefusedRecord[] = [];

  constructor(private readonly errorsMax: number) {}

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

  count(line: number, plant: NewPlant, outcome: CreateOutcome | undefined): void {
    if (outcome === "created") this.created++;
    else if (outcome === "unchanged") this.unchanged++;
    else this.refuse(line, idTaken(plant.id, outcome));
  }

  #forgetLater(): void {
    this.#errors.sort((a, b) => a.line - b.line);
    this.#errors.length = Math.min(this.#errors.length, this.errorsMax);
  }
}
