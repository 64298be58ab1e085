import type { AuditSource } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { NewToken } from "#core/store.ts";
import type { Token } from "#core/token.ts";

interface NewTokenSecret {
  readonly secret: string;
  readonly token: Token;
}

/** The rules for creating and changing tokens. Every method rejects with a Failure. */
export interface TokenRules {
  create(account: AccountNumber, token: NewToken, source: AuditSource): Promise<NewTokenSecret>;
  rename(account: AccountNumber, id: string, name: string, source: AuditSource): Promise<Token>;
  roll(
    account: AccountNumber,
    id: string,
    request: { readonly overlapMs: number; readonly expiresAt: number | null | undefined },
    source: AuditSource,
  ): Promise<NewTokenSecret>;
  revoke(account: AccountNumber, id: string, source: AuditSource): Promise<Token>;
}
