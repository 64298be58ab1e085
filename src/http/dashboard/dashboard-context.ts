import type { z } from "zod";
import type { AuditSource } from "#core/audit.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { NewToken, Records } from "#core/records.ts";
import type { Session } from "#core/session.ts";
import type { Token } from "#core/token.ts";
import type { AccountAccess } from "../account-access.ts";
import type { Reading } from "../reading/functions.ts";
import type { TokenCache } from "../token-cache.ts";

interface MadeToken {
  readonly secret: string;
  readonly token: Token;
}

/** The rules for creating and changing tokens. Every method rejects with a Failure. */
interface TokenRules {
  create(account: AccountNumber, token: NewToken, source: AuditSource): Promise<MadeToken>;
  rename(account: AccountNumber, id: string, name: string, source: AuditSource): Promise<Token>;
  roll(
    account: AccountNumber,
    id: string,
    request: { readonly overlapMs: number; readonly expiresAt: number | null | undefined },
    source: AuditSource,
  ): Promise<MadeToken>;
  revoke(account: AccountNumber, id: string, source: AuditSource): Promise<Token>;
}

/** The parts that the dashboard's own routes use. */
export interface DashboardContext extends AccountAccess {
  readonly records: Records;
  readonly reads: Reading;
  readonly tokens: TokenCache;
  /** The same on the command line. */
  readonly tokenRules: TokenRules;
  /** A new secret for a token. */
  newSecret(): string;
}

export interface OpenRequest {
  readonly client: ClientInfo;
  /** Reads the form. Throws "member-invalid" for its first fault. */
  form<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>>;
  /** A member of the query. */
  query(name: string): string | undefined;
  /** The `Set-Cookie` lines of the answer. */
  readonly cookies: string[];
}

export interface SessionRequest extends OpenRequest {
  readonly session: Session;
  /** The id in the path, where it has one. */
  readonly id: string;
}

/** Routes by their method and path below `/dashboard/api`. Each resolves with an object, or with nothing for a 204. */
export type Routes<Request> = Readonly<
  Record<string, (context: DashboardContext, request: Request) => Promise<unknown>>
>;
