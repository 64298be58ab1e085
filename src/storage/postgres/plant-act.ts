import type { Doer } from "#core/event-actor.ts";
import type { AccountNumber, Plant, PlantPatch } from "#core/plant.ts";
import type { PlantCondition } from "#core/records.ts";

/** A change or the removal of one plant. */
export interface PlantAct {
  readonly account: AccountNumber;
  readonly id: bigint;
  /** Undefined removes the plant. */
  readonly patch: PlantPatch | undefined;
  readonly allows: PlantCondition;
  readonly by: Doer | undefined;
}

/** The plant after its change; or its removal; or why nothing was done; or the bytes of texts that were too long. */
export type Acted =
  | { readonly plant: Plant; readonly isChanged: boolean }
  | { readonly isRemoved: true }
  | { readonly refusal: unknown }
  | { readonly bytes: number };
