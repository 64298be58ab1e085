import { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";

export const TOKEN_NAME_LENGTH_MAX = 50;

/** The last millisecond that RFC 3339 can write. */
export const TOKEN_EXPIRES_AT_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const SCOPES = ["plants:read", "plants:write", "webhooks:manage"] as const;
export type Scope = (typeof SCOPES)[number];
/** The scopes of a new token if none are named. */
export const DEFAULT_SCOPES: readonly Scope[] = ["plants:read", "plants:write"];

/** A stored bearer token. Its secret is never stored, only the SHA-256 of it. Times are milliseconds since 1970. */
export interface Token {
  readonly id: string;
  readonly account: AccountNumber;
  readonly name: string;
  /**
   * The first and last characters of the secret, as in `plant_4fQa…x81Z`: enough to recognise it, useless for guessing
   * it.
   */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** The id of the person who made it, who may be gone; undefined for the operator. */
  readonly madeBy: string | undefined;
}

export interface ListedToken extends Token {
  /** True if who made it may make none in the store any more: they have left, or have a lesser role. */
  readonly isLeftBehind: boolean;
}

export type TokenState = "active" | "expired" | "revoked";

export function tokenState(token: Pick<Token, "expiresAt" | "revokedAt">, now: number): TokenState {
  if (token.revokedAt !== undefined && token.revokedAt <= now) return "revoked";
  return token.expiresAt !== undefined && token.expiresAt <= now ? "expired" : "active";
}

export function tokenUnknown(): Failure {
  return new Failure("resource-unknown", "There is no such token; it may have been removed in another window");
}

export function tokenRefused(): Failure {
  return tokenEnded("The token is unknown, malformed, expired or revoked; send exactly one that is active");
}

/** RFC 6750, 3.1. */
export function tokenEnded(message = "The token has ended; nothing was kept"): Failure {
  return new Failure("token-refused", message, {
    headers: { "WWW-Authenticate": 'Bearer realm="plantstore", error="invalid_token"' },
  });
}

const PREFIX = "plant_";
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET = /^plant_[0-9A-Za-z]{36}$/;

/**
 * Random letters and digits. `randomByte` returns one uniformly random byte a call; bytes from 248 up are skipped, so
 * that each character is equally likely (5.95 bits).
 */
export function randomCharacters(length: number, randomByte: () => number): string {
  let characters = "";
  while (characters.length < length) {
    const byte = randomByte();
    if (byte < 4 * ALPHABET.length) characters += ALPHABET[byte % ALPHABET.length];
  }
  return characters;
}

/** A new secret: `plant_`, 30 random characters, and their CRC-32 in 6 more (recognisable by secret scanners). */
export function newSecret(randomByte: () => number): string {
  const random = randomCharacters(RANDOM_LENGTH, randomByte);
  return PREFIX + random + checksum(random);
}

/** True if the secret has the right shape and checksum, so a mistyped one is recognised without a look-up. */
export function isWellFormedSecret(secret: string): boolean {
  if (!SECRET.test(secret)) return false;
  const end = PREFIX.length + RANDOM_LENGTH;
  return checksum(secret.slice(PREFIX.length, end)) === secret.slice(end);
}

export function secretHint(secret: string): string {
  return `${secret.slice(0, PREFIX.length + 4)}…${secret.slice(-4)}`;
}

function checksum(random: string): string {
  let value = Bun.hash.crc32(random);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[value % ALPHABET.length] + digits;
    value = Math.floor(value / ALPHABET.length);
  }
  return digits;
}

/** The scheme in any case, and one space or more (RFC 9110, 11.4). The runtime has taken what is around the header. */
const BEARER = /^bearer(?: +(.*))?$/i;

/** The rest of an `Authorization` header after its scheme; undefined for no token. */
export function secretIn(header: string): string | undefined {
  return BEARER.exec(header)?.[1];
}
