import { Failure } from "#core/failure.ts";
import { entityTag, type PlantRevision, plantUnknown } from "#core/plant.ts";
import { ALWAYS, type PlantCondition, type PutCondition } from "#core/records.ts";

/**
 * Makes a change under the request's conditions (RFC 9110, 13.1), checked at the moment of the change. By the contract
 * conditions come before the look-up of the plant, and a condition on a plant does not hold if there is none.
 */
export async function changeUnder<T>({ headers }: Request, change: (allows: PlantCondition) => Promise<T>): Promise<T> {
  return change(isConditional(headers) ? (plant) => requireUnder(headers, plant) : ALWAYS).catch((error: unknown) => {
    throw withoutPlant(headers, error);
  });
}

/** The conditions of a PUT, which may meet no plant: then only `If-Match` does not hold. */
export function putCondition({ headers }: Request): PutCondition {
  if (!isConditional(headers)) return ALWAYS;
  return (plant) => {
    if (plant) requireUnder(headers, plant);
    else if (headers.has("if-match")) throw noPlant();
  };
}

/** `isFresh` is true if the client already has the plant in its present state (304). */
export function readUnder<Found extends PlantRevision>(
  { headers }: Request,
  plant: Found | undefined,
  id: bigint,
): { readonly plant: Found; readonly isFresh: boolean } {
  if (!plant) throw withoutPlant(headers, plantUnknown(id));
  requireMatch(headers, plant);
  return { plant, isFresh: !matchesNone(headers, plant) };
}

function isConditional(headers: Headers): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

function requireUnder(headers: Headers, plant: PlantRevision): void {
  requireMatch(headers, plant);
  if (matchesNone(headers, plant)) return;
  const isAny = headers.get("if-none-match")?.trim() === "*";
  throw failed("If-None-Match", `${isAny ? "there is such a plant" : "the plant has this tag"}; nothing was changed`);
}

/** Strong comparison, so a weak tag never matches (RFC 9110, 13.1.1). */
function requireMatch(headers: Headers, plant: PlantRevision): void {
  const ifMatch = headers.get("if-match");
  if (ifMatch === null || ifMatch.trim() === "*") return;
  if (tags(ifMatch).includes(entityTag(plant))) return;
  throw failed("If-Match", "the plant was changed since");
}

/** Weak comparison (RFC 9110, 13.1.2). */
function matchesNone(headers: Headers, plant: PlantRevision): boolean {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch === null) return true;
  return ifNoneMatch.trim() !== "*" && !tags(ifNoneMatch).some((tag) => tag.replace(/^W\//, "") === entityTag(plant));
}

function withoutPlant(headers: Headers, error: unknown): unknown {
  const isUnknown = error instanceof Failure && error.code === "plant-unknown";
  return isUnknown && headers.has("if-match") ? noPlant() : error;
}

function noPlant(): Failure {
  return failed("If-Match", "there is no such plant");
}

function failed(condition: string, reason: string): Failure {
  return new Failure("precondition-failed", `"${condition}" does not hold: ${reason}`);
}

/** Weak ones with their `W/`. With anything else before its quotes it is no entity tag (RFC 9110, 8.8.3). */
function tags(header: string): string[] {
  return header.match(/(?<![^\s,])(?:W\/)?"[^"]*"/g) ?? [];
}
