import type { AuditSource } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { NewToken, Store } from "#core/store.ts";
import { isStorableText } from "#core/text.ts";
import { newSecret, TOKEN_EXPIRES_AT_MAX, TOKEN_NAME_LENGTH_MAX, type Token, tokenState } from "#core/token.ts";

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

/** The rules for creating and changing tokens, the same in the dashboard and on the command line. */
export class TokenService {
  constructor(private readonly store: Pick<Store, "tokens">) {}

  async create(account: AccountNumber, token: NewToken, source: AuditSource): Promise<MadeToken> {
    const name = nameFrom(token.name);
    requireAhead(token.expiresAt);
    const secret = newTokenSecret();
    const scopes = [...new Set(token.scopes)];
    return { secret, token: await this.store.tokens.add(account, { ...token, name, scopes }, secret, source) };
  }

  async rename(account: AccountNumber, id: string, name: string, source: AuditSource): Promise<Token> {
    return required(await this.store.tokens.rename(account, id, nameFrom(name), source));
  }

  /** Creates a token with the name and scopes of the old one. Resolves with its secret. */
  async roll(account: AccountNumber, id: string, request: RollRequest, source: AuditSource): Promise<MadeToken> {
    const now = Date.now();
    const old = required(await this.store.tokens.find(account, id));
    if (tokenState(old, now) !== "active") throw notActive(old, now);
    const expiresAt = request.expiresAt === undefined ? renewedExpiry(old, now) : (request.expiresAt ?? undefined);
    requireAhead(expiresAt);
    const secret = newTokenSecret();
    const roll = { secret, expiresAt, endsAt: now + request.overlapMs };
    return { secret, token: required(await this.store.tokens.roll(account, id, roll, source)) };
  }

  async revoke(account: AccountNumber, id: string, source: AuditSource): Promise<Token> {
    return required(await this.store.tokens.revoke(account, id, source));
  }
}

/** The lifetime of the first token, counted from now. */
function renewedExpiry({ createdAt, expiresAt }: Token, now: number): number | undefined {
  return expiresAt === undefined ? undefined : now + (expiresAt - createdAt);
}

export function newTokenSecret(): string {
  return newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
}

function nameFrom(name: string): string {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length > 0 && length <= TOKEN_NAME_LENGTH_MAX && isStorableText(trimmed)) return trimmed;
  throw new Failure(
    "member-invalid",
    `The token's name must have 1 to ${TOKEN_NAME_LENGTH_MAX} characters, without U+0000 and lone surrogates`,
  );
}

function requireAhead(expiresAt: number | undefined): void {
  if (expiresAt === undefined) return;
  if (expiresAt <= Date.now()) throw new Failure("member-invalid", "The token's expiry must lie ahead");
  if (expiresAt > TOKEN_EXPIRES_AT_MAX) {
    throw new Failure("member-invalid", "The token's expiry must lie before the year 10000");
  }
}

function required(token: Token | undefined): Token {
  if (token) return token;
  throw new Failure("resource-unknown", "There is no such token; it may have been removed in another window");
}

function notActive(token: Token, now: number): Failure {
  return new Failure("member-invalid", `This token is ${tokenState(token, now)}; only an active one can be rolled`);
}
