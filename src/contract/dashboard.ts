import { z } from "zod";

/**
 * What the dashboard and its own routes say to each other: `/dashboard/api/*`, session cookie only, JSON both ways, no
 * part of the public API. A refusal has the Error shape; the numbers are those of `./dashboard-errors.ts` and
 * `./errors.ts`. Every changing request must come from the page's own origin. Times are RFC 3339 in UTC.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /session` | | 200 SessionView; 401 (40150) without a session |
 * | `POST /access-token` | | 200 AccessToken, good for `/v1` until it expires or its session ends |
 * | `GET /tokens` | | 200 `{ tokens: TokenRecord[] }`, newest first |
 * | `POST /tokens` | NewTokenForm | 200 NewTokenSecret |
 * | `PATCH /tokens/{id}` | `{ name }` | 200 TokenRecord; 404 (40450) |
 * | `POST /tokens/{id}/roll` | `{ overlap_seconds }` | 200 NewTokenSecret (the new one); the old one ends then |
 * | `POST /tokens/{id}/revoke` | | 200 TokenRecord |
 * | `GET /overview?since=` | | 200 Overview; `since`: where the reader's day starts, midnight UTC by default |
 * | `GET /usage?range=&token=&zone_minutes=` | | 200 Usage; `zone_minutes`: the reader's zone, minutes east of UTC |
 * | `GET /first-request?since=` | | 200 FirstRequest; cheap, may be asked every second |
 * | `GET /welcome?code=` | | 200 Welcome, without a session |
 * | `POST /welcome` | SignUpForm | 200 SessionView, and the session's cookie; 403 (40352), 409 (40950) |
 * | `PATCH /account` | AccountForm | 200 SessionView; 403 (40351) if the password is wrong; 409 (40950) |
 * | `POST /account/delete` | DeleteAccountForm | 204, and the session is over |
 * | `GET /sessions` | | 200 `{ sessions: SessionRecord[] }`, the current one first |
 * | `POST /sessions/{id}/end` | | 204 |
 * | `POST /sessions/end-others` | | 204 |
 *
 * Signing in is at `/auth/*`, same rules:
 *
 * | request | body | answer |
 * |---|---|---|
 * | `POST /auth/sign-in/email` | `{ email, password, rememberMe? }` | 200 SignInAnswer; 401 (40152), 429 (42901) |
 * | `POST /auth/sign-out` | | 200 |
 * | `POST /auth/change-password` | `{ currentPassword, newPassword }` | 200, all other sessions are over; 400, 403 (40351) |
 * | `POST /auth/two-factor/enable` | `{ password }` | 200 TwoFactorSetup; on after the first verify-totp |
 * | `POST /auth/two-factor/disable`, `…/generate-backup-codes` | `{ password }` | 200; 200 `{ backupCodes }` |
 * | `POST /auth/two-factor/verify-totp`, `…/verify-backup-code` | `{ code, trustDevice? }` | 200; 401 (40153) |
 * | `/auth/passkey/*` | as better-auth's passkey plugin has it | |
 */

const Time = z.iso.datetime();

export const TOKEN_NAME_LENGTH_MAX = 50;
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 128;
const OVERLAP_SECONDS_MAX = 30 * 24 * 3600;

const Email = z.email().max(254);
const Password = z.string().max(1024);
const Name = z.string().trim().min(1).max(100);
const TokenName = z.string().trim().min(1).max(TOKEN_NAME_LENGTH_MAX);
const ScopeName = z.enum(["plants:read", "plants:write"]);

const AccountView = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  created_at: Time,
  two_factor: z.boolean(),
});

export const SessionView = z.object({
  account: AccountView,
  /** Without a slash at the end; where the API is, as in `${base_url}/v1/plants`. */
  base_url: z.string(),
  signup: z.enum(["first", "open", "closed"]),
  versions: z.object({ service: z.string(), interface: z.string(), segment: z.literal("v1") }),
});

export const AccessToken = z.object({ token: z.string(), expires_at: Time });

export const TokenRecord = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  scopes: z.array(ScopeName),
  created_at: Time,
  last_used_at: Time.nullable(),
  expires_at: Time.nullable(),
  /** May lie ahead: the end of a roll's overlap. */
  revoked_at: Time.nullable(),
  state: z.enum(["active", "expired", "revoked"]),
});

export const TokenList = z.object({ tokens: z.array(TokenRecord) });

export const NewTokenForm = z.object({
  name: TokenName,
  scopes: z.array(ScopeName).min(1),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
});

export const RenameForm = z.object({ name: TokenName });

export const RollForm = z.object({ overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX) });

/** The secret is in this answer and nowhere else, ever. */
export const NewTokenSecret = z.object({ secret: z.string(), token: TokenRecord });

export const Attention = z.discriminatedUnion("kind", [
  /** Expires within 14 days. */
  z.object({ kind: z.literal("expiring"), token: TokenRecord }),
  /** Not used for 90 days. */
  z.object({ kind: z.literal("unused"), token: TokenRecord }),
  /** More than 5 % of today's requests were refused; `error` is the most frequent one. `share` is from 0 to 1. */
  z.object({ kind: z.literal("errors"), share: z.number(), error: z.int(), count: z.int() }),
]);

export const Overview = z.object({
  plants: z.int(),
  creates_today: z.int(),
  errors_today: z.int(),
  active_tokens: z.int(),
  attention: z.array(Attention),
});

/** The last 60 minutes by minute, 24 hours by hour, 30 days by day. */
export const UsageRange = z.enum(["hour", "day", "month"]);

export const UsageQuery = z.object({
  range: UsageRange.default("day"),
  /** A token's id; all of the account's by default. */
  token: z.string().optional(),
  zone_minutes: z.coerce.number().int().min(-840).max(840).default(0),
});

export const Usage = z.object({
  /** Oldest first, without gaps; the last one is still filling. */
  buckets: z.array(z.object({ start: Time, created: z.int(), errors: z.int() })),
  /** Of the whole range, the most frequent first; `error` as in the Error shape. */
  errors: z.array(z.object({ error: z.int(), count: z.int() })),
});

export const SinceQuery = z.object({ since: z.iso.datetime({ offset: true }).optional() });

export const FirstRequest = z.object({
  /** Whether a token of this account was ever used, or there are plants. */
  seen: z.boolean(),
  /** The newest plant since then. Its id is the decimal, since it may be beyond 2^53. */
  plant: z.object({ id: z.string(), name: z.string(), tag: z.string().optional(), created_at: Time }).nullable(),
  /** The most frequent refusal since then, if there was one: "your request arrived, and was refused with 40003". */
  refused: z.object({ error: z.int(), count: z.int() }).nullable(),
});

export const Welcome = z.object({
  /** Whether an account can be made here now, with the code that was given. */
  open: z.boolean(),
  /** Whether it takes a code. */
  needs_code: z.boolean(),
  /** Why not, in a sentence for the reader; empty if open. */
  message: z.string(),
});

export const SignUpForm = z.object({
  code: z.string().max(200).optional(),
  email: Email,
  password: Password,
  name: Name.optional(),
});

/** `password` (the current one) is needed to change the e-mail address. */
export const AccountForm = z.object({
  name: Name.optional(),
  email: Email.optional(),
  password: Password.optional(),
});

/** `email` as typed by the reader: it must be the account's own. */
export const DeleteAccountForm = z.object({ email: z.string(), password: Password });

export const SessionRecord = z.object({
  id: z.string(),
  current: z.boolean(),
  /** As in "Firefox on Linux". */
  device: z.string(),
  /** The client's address, or empty. */
  address: z.string(),
  created_at: Time,
  last_seen_at: Time,
});

export const SessionList = z.object({ sessions: z.array(SessionRecord) });

/** `two_factor`: not in yet; send a code to verify-totp or verify-backup-code. */
export const SignInAnswer = z.object({ two_factor: z.boolean() });

export const TwoFactorSetup = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });

export type SessionView = z.infer<typeof SessionView>;
export type AccessToken = z.infer<typeof AccessToken>;
export type TokenRecord = z.infer<typeof TokenRecord>;
export type TokenList = z.infer<typeof TokenList>;
export type NewTokenForm = z.infer<typeof NewTokenForm>;
export type RenameForm = z.infer<typeof RenameForm>;
export type RollForm = z.infer<typeof RollForm>;
export type NewTokenSecret = z.infer<typeof NewTokenSecret>;
export type Attention = z.infer<typeof Attention>;
export type Overview = z.infer<typeof Overview>;
export type UsageRange = z.infer<typeof UsageRange>;
export type Usage = z.infer<typeof Usage>;
export type FirstRequest = z.infer<typeof FirstRequest>;
export type Welcome = z.infer<typeof Welcome>;
export type SignUpForm = z.infer<typeof SignUpForm>;
export type AccountForm = z.infer<typeof AccountForm>;
export type DeleteAccountForm = z.infer<typeof DeleteAccountForm>;
export type SessionRecord = z.infer<typeof SessionRecord>;
export type SessionList = z.infer<typeof SessionList>;
export type SignInAnswer = z.infer<typeof SignInAnswer>;
export type TwoFactorSetup = z.infer<typeof TwoFactorSetup>;
