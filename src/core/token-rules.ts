import type { Caller } from "./caller.ts";
import type { NewToken } from "./records.ts";
import type { Token } from "./token.ts";

export interface MadeToken {
  readonly secret: string;
  readonly token: Token;
}

export interface RollRequest {
  /** The time for which the old token stays valid. */
  readonly overlapMs: number;
  /** Undefined means the lifetime of the old token, null no expiry. */
  readonly expiresAt: number | null | undefined;
}

/** The rules for creating and changing tokens, the same in the dashboard and on the command line. All reject with a Failure. */
export interface TokenRules {
  create(caller: Caller, token: NewToken): Promise<MadeToken>;
  rename(caller: Caller, id: string, name: string): Promise<Token>;
  /** Creates a token with the name and scopes of the old one. Resolves with its secret. */
  roll(caller: Caller, id: string, request: RollRequest): Promise<MadeToken>;
  revoke(caller: Caller, id: string): Promise<Token>;
  /** Resolves with the number of tokens that were active. */
  revokeAll(caller: Caller): Promise<number>;
}
