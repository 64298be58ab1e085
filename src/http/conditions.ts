import { Failure } from "#core/failure.ts";
import { entityTag } from "#core/plant.ts";
import type { PlantCondition } from "#core/store.ts";

/** `If-None-Match` (RFC 9110, 13.1.2): true if it does not stop a read; weak comparison. */
export function matchesNone(header: string | undefined, etag: string): boolean {
  if (header === undefined) return true;
  return header.trim() !== "*" && !tags(header).some(({ opaque }) => opaque === etag);
}

/** `If-Match` (RFC 9110, 13.1.1): strong comparison, so a weak tag never matches. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined || header.trim() === "*") return true;
  return tags(header).some(({ weak, opaque }) => !weak && opaque === etag);
}

/**
 * Makes a change under the request's `If-Match`, at the moment of the change. Conditions are checked before the plant
 * is looked for (so says the contract), and one that a plant must meet does not hold where there is none.
 */
export async function underConditions<T>(
  ifMatch: string | undefined,
  change: (allows: PlantCondition) => Promise<T>,
): Promise<T> {
  try {
    return await change((plant) => {
      if (!matches(ifMatch, entityTag(plant))) throw preconditionFailed("the plant was changed since");
    });
  } catch (error) {
    const isUnknown = error instanceof Failure && error.code === "plant-unknown";
    throw isUnknown && ifMatch !== undefined ? preconditionFailed("there is no such plant") : error;
  }
}

function preconditionFailed(reason: string): Failure {
  return new Failure("precondition-failed", `"If-Match" does not hold: ${reason}; nothing was changed`);
}

interface SentTag {
  readonly weak: boolean;
  /** With its quotes. */
  readonly opaque: string;
}

function tags(header: string): SentTag[] {
  return [...header.matchAll(/(W\/)?("[^"]*")/g)].map(([, weak, opaque = ""]) => ({
    weak: weak !== undefined,
    opaque,
  }));
}
