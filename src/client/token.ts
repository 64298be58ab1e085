import { timeFrom } from "./plant.ts";

/** The token of a client, and the store that it belongs to. */
export interface SentToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Undefined if it has no end. */
  readonly expiresAt: Date | undefined;
  readonly store: { readonly id: string; readonly name: string; readonly test: boolean };
}

/** Reads the answer of `GET /v1/token`. Throws a SyntaxError or TypeError if the text is not one. */
export function readToken(json: string): SentToken {
  const { id, name, scopes, expires_at, store } = JSON.parse(json);
  if (typeof id !== "string" || !Array.isArray(scopes) || typeof store?.id !== "string")
    throw new TypeError("The answer holds no token");
  return { id, name, scopes, expiresAt: expires_at === null ? undefined : timeFrom(expires_at), store };
}
