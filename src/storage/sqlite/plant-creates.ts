import { accountRemoved } from "#core/account.ts";
import { type AccountNumber, type CreateOutcome, type NewPlant, textUnits } from "#core/plant.ts";
import type { RequestSpan } from "#core/trace.ts";
import { WRITE_SIZE_UNITS } from "../write-queue.ts";
import type { Creation } from "./rows-insert.ts";
import type { Unit, UnitKind } from "./unit.ts";

/**
 * Creates of single plants. Those next to each other in a batch are written by one statement, without a savepoint,
 * which would copy every page.
 */
const SINGLE: UnitKind = {
  isolated: false,
  write(creates: readonly PlantCreate[], { plants }, now) {
    const outcomes = plants.createMany(creates, now);
    for (let at = 0; at < creates.length; at++) (creates[at] as PlantCreate).outcome = outcomes[at];
  },
};

export class PlantCreate implements Unit, Creation {
  readonly kind = SINGLE;
  readonly rows = 1;
  readonly size: number;
  readonly since = performance.now();
  outcome: CreateOutcome | undefined;

  constructor(
    readonly account: AccountNumber,
    readonly plant: NewPlant,
    readonly span: RequestSpan | undefined,
    readonly resolve: (outcome: CreateOutcome) => void,
    readonly reject: (error: unknown) => void,
  ) {
    this.size = WRITE_SIZE_UNITS + textUnits(plant);
  }

  answer(): void {
    if (this.outcome === undefined) this.reject(accountRemoved());
    else this.resolve(this.outcome);
  }
}

/** Several plants of one caller, each as one create, in order. */
const BULK: UnitKind = {
  isolated: false,
  write(bulks: readonly BulkCreate[], { plants }, now) {
    for (const bulk of bulks) bulk.outcomes = plants.createMany(bulk.creations, now);
  },
};

export class BulkCreate implements Unit {
  readonly kind = BULK;
  readonly rows: number;
  readonly size: number;
  readonly since = performance.now();
  readonly creations: readonly Creation[];
  outcomes: (CreateOutcome | undefined)[] = [];

  constructor(
    account: AccountNumber,
    plants: readonly NewPlant[],
    readonly span: RequestSpan | undefined,
    readonly resolve: (outcomes: CreateOutcome[]) => void,
    readonly reject: (error: unknown) => void,
  ) {
    this.creations = plants.map((plant) => ({ account, plant }));
    this.rows = plants.length;
    this.size = plants.reduce((sum, plant) => sum + textUnits(plant), WRITE_SIZE_UNITS);
  }

  answer(): void {
    const outcomes = this.outcomes.filter((outcome) => outcome !== undefined);
    if (outcomes.length < this.outcomes.length) this.reject(accountRemoved());
    else this.resolve(outcomes);
  }
}
