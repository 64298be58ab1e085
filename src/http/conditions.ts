import { Failure } from "#core/failure.ts";
import { entityTag, type Plant, plantUnknown } from "#core/plant.ts";
import type { PlantCondition } from "#core/store.ts";

/** The conditions of a request (RFC 9110, 13.1). */
export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export function conditionsOf({ headers }: Request): Conditions {
  return {
    ifMatch: headers.get("if-match") ?? undefined,
    ifNoneMatch: headers.get("if-none-match") ?? undefined,
  };
}

/**
 * Makes a change under the request's conditions, checked at the moment of the change. By the contract conditions come
 * before the look-up of the plant, and a condition on a plant does not hold if there is none.
 */
export async function changeUnder<T>(
  conditions: Conditions,
  change: (allows: PlantCondition) => Promise<T>,
): Promise<T> {
  const allows: PlantCondition = (plant) => {
    requireMatch(conditions, plant);
    if (!matchesNone(conditions, plant)) throw failed("If-None-Match", "the plant has this tag; nothing was changed");
  };
  return change(allows).catch((error: unknown) => {
    throw withoutPlant(conditions, error);
  });
}

/** `isFresh` is true if the client already has the plant in its present state (304). */
export function readUnder(
  conditions: Conditions,
  plant: Plant | undefined,
  id: bigint,
): { readonly plant: Plant; readonly isFresh: boolean } {
  if (!plant) throw withoutPlant(conditions, plantUnknown(id));
  requireMatch(conditions, plant);
  return { plant, isFresh: !matchesNone(conditions, plant) };
}

/** Strong comparison, so a weak tag never matches (RFC 9110, 13.1.1). */
function requireMatch({ ifMatch }: Conditions, plant: Plant): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  if (tags(ifMatch).includes(entityTag(plant))) return;
  throw failed("If-Match", "the plant was changed since");
}

/** Weak comparison (RFC 9110, 13.1.2). */
function matchesNone({ ifNoneMatch }: Conditions, plant: Plant): boolean {
  if (ifNoneMatch === undefined) return true;
  return ifNoneMatch.trim() !== "*" && !tags(ifNoneMatch).some((tag) => tag.replace(/^W\//, "") === entityTag(plant));
}

function withoutPlant({ ifMatch }: Conditions, error: unknown): unknown {
  const isUnknown = error instanceof Failure && error.code === "plant-unknown";
  return isUnknown && ifMatch !== undefined ? failed("If-Match", "there is no such plant") : error;
}

function failed(condition: string, reason: string): Failure {
  return new Failure("precondition-failed", `"${condition}" does not hold: ${reason}`);
}

/** Weak ones with their `W/`. */
function tags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
