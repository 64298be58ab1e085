import type { StoreCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { NewToken, Records } from "#core/records.ts";
import { isStorableText } from "#core/text.ts";
import {
  newSecret,
  TOKEN_EXPIRES_AT_MAX,
  TOKEN_NAME_LENGTH_MAX,
  type Token,
  tokenState,
  tokenUnknown,
} from "#core/token.ts";
import { randomByte } from "./secrets.ts";

export interface MadeToken {
  readonly secret: string;
  readonly token: Token;
}

interface RollRequest {
  /** The time for which the old token stays valid. */
  readonly overlapMs: number;
  /** Undefined means the lifetime of the old token, null no expiry. */
  readonly expiresAt: number | null | undefined;
}

/** The rules for making, naming and rolling tokens, the same in the dashboard and on the command line. All reject with a Failure. */
export class TokenService {
  constructor(private readonly records: Pick<Records, "tokens">) {}

  async create(caller: StoreCaller, token: NewToken): Promise<MadeToken> {
    const name = nameFrom(token.name);
    requireAhead(token.expiresAt);
    const secret = newTokenSecret();
    const scopes = [...new Set(token.scopes)];
    return { secret, token: await this.records.tokens.add(caller, { ...token, name, scopes }, secret) };
  }

  rename(caller: StoreCaller, id: string, name: string): Promise<Token> {
    return this.records.tokens.rename(caller, id, nameFrom(name));
  }

  /** Creates a token with the name and scopes of the old one. */
  async roll(caller: StoreCaller, id: string, request: RollRequest): Promise<MadeToken> {
    const now = Date.now();
    const old = await this.records.tokens.find(caller.account, id);
    if (!old) throw tokenUnknown();
    const state = tokenState(old, now);
    if (state !== "active") {
      throw new Failure("member-invalid", `This token is ${state}; only an active one can be rolled`);
    }
    const renewed = old.expiresAt && now + (old.expiresAt - old.createdAt);
    const expiresAt = request.expiresAt === undefined ? renewed : (request.expiresAt ?? undefined);
    requireAhead(expiresAt);
    const secret = newTokenSecret();
    const roll = { secret, expiresAt, endsAt: now + request.overlapMs };
    return { secret, token: await this.records.tokens.roll(caller, id, roll) };
  }
}

export function newTokenSecret(): string {
  return newSecret(randomByte);
}

const nameFrom = (name: string) => trimmedName(name, TOKEN_NAME_LENGTH_MAX, "The token's name");

/** A name without the blanks around it. Throws "member-invalid", in a sentence with that subject. */
export function trimmedName(name: string, lengthMax: number, subject: string): string {
  const trimmed = name.trim();
  const { length } = [...trimmed];
  if (length > 0 && length <= lengthMax && isStorableText(trimmed)) return trimmed;
  const rule = `must have 1 to ${lengthMax} characters, without U+0000 and lone surrogates`;
  throw new Failure("member-invalid", `${subject} ${rule}`);
}

function requireAhead(expiresAt: number | undefined): void {
  if (expiresAt === undefined) return;
  if (expiresAt <= Date.now()) throw new Failure("member-invalid", "The token's expiry must lie ahead");
  if (expiresAt > TOKEN_EXPIRES_AT_MAX) {
    throw new Failure("member-invalid", "The token's expiry must lie before the year 10000");
  }
}
