import { z } from "zod";
import {
  ACCOUNT_NAME_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  GIVEN_CODE_LENGTH_MAX,
  GIVEN_PASSWORD_LENGTH_MAX,
} from "#core/account.ts";
import { EVENT_TYPES } from "#core/event.ts";
import { isStorableText } from "#core/text.ts";
import { SCOPES, TOKEN_NAME_LENGTH_MAX } from "#core/token.ts";

/**
 * The dashboard's own routes: `/dashboard/api/*`, by session cookie alone, JSON both ways, not part of the public API. A
 * refusal has the Error shape; the numbers are those of `./dashboard-errors.ts` and `./errors.ts`. Every changing request
 * must come from the page's own origin. A form has at most 16 KiB. Times are RFC 3339 in UTC.
 *
 * Routes marked "proof" may answer 403 (40354). The page then asks for the password (and the code, if the account has a
 * second factor) or a passkey, sends it to `POST /proof`, and sends the same request again. Routes whose form has
 * `password` and `code` take the proof in the form as well.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /session` | | 200 SessionView; 401 (40150) without a session |
 * | `POST /access-token` | | 200 AccessToken, for `/v1` with every scope until it expires or its session ends: also for `/v1/events` and `/v1/webhooks` |
 * | `GET /tokens` | | 200 `{ tokens: TokenRecord[] }`, newest first |
 * | `POST /proof` | ProofForm | 200 Proof; 403 (40351) for a wrong password, 401 (40153) for a wrong code or passkey |
 * | `POST /tokens` | NewTokenForm | proof; 200 NewTokenSecret; 409 (40902) at 1,000 tokens |
 * | `PATCH /tokens/{id}` | `{ name }` | 200 TokenRecord; 404 (40450) |
 * | `POST /tokens/{id}/roll` | RollForm | proof; 200 NewTokenSecret (the new one); the old one ends after the overlap |
 * | `POST /tokens/{id}/revoke` | | 200 TokenRecord |
 * | `POST /tokens/revoke-all` | | 200 `{ revoked }`, how many tokens were revoked |
 * | `GET /overview?since=` | | 200 Overview; `since`: where the reader's day starts, midnight UTC by default |
 * | `GET /plants/matches?q=&tag=` | | 200 PlantMatches; a plant is found by its id too |
 * | `GET /plants/tags` | | 200 `{ tags }`, up to 200 that are in use, the most frequent first |
 * | `GET /usage?range=&from=&to=&token=&zone_minutes=` | | 200 Usage; `zone_minutes`: the reader's zone, minutes east of UTC |
 * | `GET /first-request?since=` | | 200 FirstRequest; cheap, may be asked every second |
 * | `GET /welcome?code=` | | 200 Welcome, without a session |
 * | `POST /welcome` | SignUpForm | 200 SessionView, and the session's cookie; 403 (40352), 409 (40950) |
 * | `PATCH /account` | AccountForm | proof for another e-mail address; 200 SessionView; 409 (40950) |
 * | `POST /account/delete` | DeleteAccountForm | proof; 204, and the session is over |
 * | `POST /account/send-verification` | | 204; mails a link that verifies the e-mail address |
 * | `POST /verify-email` | `{ token }` | 204, without a session; 403 (40355) for a link that is used up or too old |
 * | `POST /recovery` | `{ email }` | 204 whether there is such an account or not, without a session; 429 |
 * | `POST /recovery/password` | RecoveryForm | 204, without a session, and every session is over; 400, 403 (40355) |
 * | `GET /sessions` | | 200 `{ sessions: SessionRecord[] }`, the current one first |
 * | `POST /sessions/{id}/end` | | 204 |
 * | `POST /sessions/end-others` | | 204 |
 * | `GET /trusted-devices` | | 200 `{ devices: TrustedDevice[] }`, those that sign in without a code |
 * | `POST /trusted-devices/{id}/forget` | | 204 |
 * | `POST /trusted-devices/forget-all` | | 204 |
 * | `GET /audit?action=&from=&cursor=&limit=` | | 200 AuditPage, newest first; `action=token` finds `token.created` too |
 * | `GET /requests?status=&error=&token=&path=&plant=&address=&request_id=&from=&to=&cursor=&limit=` | | 200 RequestPage, newest first; `status` is 409 or 4xx, or several as in 4xx,5xx |
 * | `GET /events?type=&cursor=&limit=` | | 200 RecentEventPage, newest first |
 * | `GET /requests/{request_id}` | | 200 RequestDetail; 404 (40450) |
 *
 * Signing in is at `/auth/*`, same rules:
 *
 * | request | body | answer |
 * |---|---|---|
 * | `POST /auth/sign-in/email` | `{ email, password, rememberMe? }` | 200 SignInAnswer; 401 (40152), 429 (42901) |
 * | `POST /auth/sign-out` | | 200 |
 * | `POST /auth/change-password` | ChangePasswordForm | proof; 200 PasswordChanged, other sessions and trusted devices are over |
 * | `POST /auth/two-factor/enable` | `{ password?, code? }` | proof; 200 TwoFactorSetup; in effect after verify-totp |
 * | `POST /auth/two-factor/disable` | `{ password?, code? }` | proof; 200; trusted devices are forgotten |
 * | `POST /auth/two-factor/generate-backup-codes` | `{ password?, code? }` | proof; 200 `{ backupCodes }` |
 * | `POST /auth/two-factor/verify-totp`, `…/verify-backup-code` | `{ code, trustDevice? }` | 200; 401 (40153) |
 * | `GET /auth/passkey/generate-authenticate-options` | | 200, WebAuthn's JSON; the challenge is good for 5 minutes |
 * | `POST /auth/passkey/verify-authentication` | `{ response }` | 200, signed in; 401 (40153) |
 * | `GET /auth/passkey/generate-register-options` | | proof made for this change alone; 200, WebAuthn's JSON |
 * | `POST /auth/passkey/verify-registration` | `{ response, name? }` | proof made for this change alone; 200 |
 * | `GET /auth/passkey/list-user-passkeys` | | 200 PasskeyRecord[] |
 * | `POST /auth/passkey/update-passkey` | `{ id, name }` | 200 |
 * | `POST /auth/passkey/delete-passkey` | `{ id, password?, code? }` | proof made for this change alone; 200 |
 */

const Time = z.iso.datetime();

const OVERLAP_SECONDS_MAX = 30 * 24 * 3600;

const Text = z.string().refine(isStorableText, "it must hold neither U+0000 nor a lone surrogate");
const Email = z.email().max(EMAIL_LENGTH_MAX);
const Password = Text.max(GIVEN_PASSWORD_LENGTH_MAX);
const Name = Text.trim().min(1).max(ACCOUNT_NAME_LENGTH_MAX);
const Code = z.string().trim().max(GIVEN_CODE_LENGTH_MAX);
const TokenName = Text.trim().min(1).max(TOKEN_NAME_LENGTH_MAX);
const ScopeName = z.enum(SCOPES);

const AccountView = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  created_at: Time,
  two_factor: z.boolean(),
  email_verified: z.boolean(),
});

export const SessionView = z.object({
  account: AccountView,
  /** Without a slash at the end; where the API is, as in `${base_url}/v1/plants`. */
  base_url: z.string(),
  signup: z.enum(["first", "open", "closed"]),
  /** True if the service sends mail: addresses are verified, passwords recovered by a link. */
  mail: z.boolean(),
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

/** Without `expires_at` the new token lasts as long as the first one was to last; null is for ever. */
export const RollForm = z.object({
  overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
});

/** The password, with a code of the app or a backup code if the account has a second factor; or a passkey's answer. */
export const ProofForm = z.union([
  z.object({ passkey: z.record(z.string(), z.unknown()) }),
  z.object({ password: Password, code: Code.optional() }),
]);

export const Proof = z.object({ until: Time });

/** The secret is in this answer and nowhere else, ever. */
export const NewTokenSecret = z.object({ secret: z.string(), token: TokenRecord });

export const Attention = z.discriminatedUnion("kind", [
  /** Expires within 14 days. */
  z.object({ kind: z.literal("expiring"), token: TokenRecord }),
  /** Not used for 90 days. */
  z.object({ kind: z.literal("unused"), token: TokenRecord }),
  /** More than 5 % of today's requests were refused; `error` is the most frequent one. `share` is from 0 to 1. */
  z.object({ kind: z.literal("errors"), share: z.number(), error: z.int(), count: z.int() }),
  /** A token that called a deprecated version of the interface in the last 30 days. */
  z.object({
    kind: z.literal("version"),
    token: TokenRecord,
    version: z.string(),
    requests: z.int(),
    /** Null while no end is set. */
    ends_at: Time.nullable(),
  }),
]);

export const Overview = z.object({
  plants: z.int(),
  creates_today: z.int(),
  errors_today: z.int(),
  active_tokens: z.int(),
  attention: z.array(Attention),
});

export const PlantMatchesQuery = z.object({ q: z.string().optional(), tag: z.string().optional() });

export const PlantMatches = z.object({
  count: z.int(),
  /** True if counting stopped before the end: at least so many match. */
  at_least: z.boolean(),
});

export const PlantTags = z.object({ tags: z.array(z.string()) });

/** The last 60 minutes by minute, 24 hours by hour, 7 days by 6 hours, 30 days by day. */
export const UsageRange = z.enum(["hour", "day", "week", "month"]);

const DateTime = z.iso.datetime({ offset: true });

export const UsageQuery = z.object({
  range: UsageRange.default("day"),
  /** A range of one's own, instead of `range`: at most 60 days, and no older than 60 days. */
  from: DateTime.optional(),
  to: DateTime.optional(),
  /** A token's id; all of the account's by default, and the dashboard's own requests with them. */
  token: z.string().optional(),
  zone_minutes: z.coerce.number().int().min(-840).max(840).default(0),
});

const UsageTotals = z.object({ created: z.int(), other: z.int(), errors: z.int() });
/** Milliseconds from a request's head to its answer; null where nothing was measured. */
const Latency = z.object({ p50_ms: z.number().nullable(), p99_ms: z.number().nullable() });

const MeasuredTotals = z.object({ ...UsageTotals.shape, ...Latency.shape });

export const UsageBucket = z.object({ start: Time, end: Time, ...MeasuredTotals.shape });

export const Usage = z.object({
  /** Oldest first, without gaps; the last one may still be filling. */
  buckets: z.array(UsageBucket),
  totals: MeasuredTotals,
  /** Of as long a time before; null if counts of then are no longer kept. */
  before: MeasuredTotals.nullable(),
  /** Of the whole range, the most frequent first; `error` as in the Error shape. */
  errors: z.array(z.object({ error: z.int(), count: z.int() })),
});

export const SinceQuery = z.object({ since: z.iso.datetime({ offset: true }).optional() });

export const FirstRequest = z.object({
  /** True if a token of this account was ever used, or there are plants. */
  seen: z.boolean(),
  /** The newest plant since then. Its id is the decimal, since it may be beyond 2^53. */
  plant: z.object({ id: z.string(), name: z.string(), tag: z.string().optional(), created_at: Time }).nullable(),
  /** The most frequent refusal since then, if there was one: "your request arrived, and was refused with 40003". */
  refused: z.object({ error: z.int(), count: z.int() }).nullable(),
});

export const Welcome = z.object({
  /** True if an account can be made here now, with the code that was given. */
  open: z.boolean(),
  /** True if a code is needed. */
  needs_code: z.boolean(),
  /** Why not, in a sentence for the reader; empty if open. */
  message: z.string(),
  /** True if a lost password can be recovered by mail. */
  mail: z.boolean(),
});

export const SignUpForm = z.object({
  code: z.string().max(200).optional(),
  email: Email,
  password: Password,
  name: Name.optional(),
});

export const AccountForm = z.object({
  name: Name.optional(),
  email: Email.optional(),
  password: Password.optional(),
  code: Code.optional(),
});

/** `email` as typed by the reader: it must be the account's own. */
export const DeleteAccountForm = z.object({
  email: z.string(),
  password: Password.optional(),
  code: Code.optional(),
});

/** `currentPassword` and `code` are the proof, unless one was made at `POST /proof`. */
export const ChangePasswordForm = z.object({
  newPassword: Password,
  currentPassword: Password.optional(),
  code: Code.optional(),
  revokeTokens: z.boolean().default(false),
  removePasskeys: z.boolean().default(false),
});

/** Tokens and passkeys that still get in after the password was changed. The page offers to revoke and remove them. */
export const PasswordChanged = z.object({ active_tokens: z.int(), passkeys: z.int() });

export const RecoveryRequest = z.object({ email: z.string().max(EMAIL_LENGTH_MAX) });

/** `token` is that of the mailed link, `/dashboard/recovery?token=`. */
export const RecoveryForm = z.object({ token: z.string().max(200), password: Password });

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

/** `token` is that of the mailed link, `/dashboard/verify-email?token=`. */
export const VerificationForm = z.object({ token: z.string().max(200) });

/** A browser in which the second factor is not asked for. */
export const TrustedDevice = z.object({
  id: z.string(),
  current: z.boolean(),
  device: z.string(),
  address: z.string(),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
});

export const PasskeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  deviceType: z.string(),
  backedUp: z.boolean(),
  createdAt: Time,
});

export const AuditQuery = z.object({
  /** An action such as `token.created`, or the first part of several, such as `token`. */
  action: z.string().max(50).optional(),
  /** Entries of this time and later. */
  from: z.iso.datetime({ offset: true }).optional(),
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const AuditRecord = z.object({
  id: z.string(),
  at: Time,
  action: z.string(),
  actor: z.object({ kind: z.enum(["session", "token", "operator", "system"]), id: z.string(), name: z.string() }),
  /** The id of what was acted on, such as a token's. */
  target: z.string().optional(),
  address: z.string().optional(),
  device: z.string().optional(),
  request_id: z.string().optional(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export const AuditPage = z.object({ data: z.array(AuditRecord), next_cursor: z.string().nullable() });

const EventTypeName = z.enum(EVENT_TYPES);

export const RecentEventsQuery = z.object({
  type: EventTypeName.optional(),
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

export const RecentEventPage = z.object({
  /** `plant_id` is the decimal, since it may be beyond 2^53; `name` is cut after 1,000 characters. */
  data: z.array(
    z.object({ id: z.string(), type: EventTypeName, timestamp: Time, plant_id: z.string(), name: z.string() }),
  ),
  next_cursor: z.string().nullable(),
  /** For `/v1/events`: what comes after the newest event of the page. */
  live_cursor: z.string(),
});

/** A status such as 409, a class of them such as 4xx, or several of these. */
const StatusFilter = z
  .string()
  .regex(
    /^[1-5](?:\d\d|xx)(?:,[1-5](?:\d\d|xx)){0,9}$/,
    "it must be a status such as 409, a class such as 4xx, or at most 10 of these with commas between them",
  )
  .transform((text) => text.split(",").map((status) => Number(status.replace("xx", ""))));

export const RequestsQuery = z.object({
  status: StatusFilter.optional(),
  /** As in the Error shape. */
  error: z.coerce.number().int().min(0).max(99_999).optional(),
  /** A token's id. */
  token: z.string().max(100).optional(),
  /** The beginning of the path. */
  path: z.string().max(500).optional(),
  /** A plant's id as a decimal. */
  plant: z.string().max(20).optional(),
  address: z.string().max(100).optional(),
  request_id: z.string().max(100).optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  cursor: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const RequestRecord = z.object({
  request_id: z.string(),
  at: Time,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  error: z.int().optional(),
  /** Milliseconds. */
  ms: z.number(),
  /** Null for a request of the dashboard's page itself. */
  token: z.object({ id: z.string(), name: z.string() }).nullable(),
  address: z.string().optional(),
  agent: z.string().optional(),
  bytes_in: z.int().optional(),
  message: z.string().optional(),
  plant_id: z.string().optional(),
  replayed: z.boolean().optional(),
  /** How many such requests there were in the same second, where not all are kept. */
  sampled_of: z.int().optional(),
  trace_id: z.string().optional(),
});

export const RequestPage = z.object({
  data: z.array(RequestRecord),
  next_cursor: z.string().nullable(),
  /** `from`: of the oldest request that is kept. Null if none is, or if the log is off (`successes_a_second` is 0 then). */
  kept: z.object({ from: Time.nullable(), successes_a_second: z.int() }),
});

/** `excerpt`: the beginning of a body that was refused. */
export const RequestDetail = RequestRecord.extend({ excerpt: z.string().optional() });

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
export type PlantMatches = z.infer<typeof PlantMatches>;
export type PlantTags = z.infer<typeof PlantTags>;
export type UsageRange = z.infer<typeof UsageRange>;
export type UsageBucket = z.infer<typeof UsageBucket>;
export type Usage = z.infer<typeof Usage>;
export type FirstRequest = z.infer<typeof FirstRequest>;
export type Welcome = z.infer<typeof Welcome>;
export type SignUpForm = z.infer<typeof SignUpForm>;
export type AccountForm = z.infer<typeof AccountForm>;
export type DeleteAccountForm = z.infer<typeof DeleteAccountForm>;
export type SessionRecord = z.infer<typeof SessionRecord>;
export type SessionList = z.infer<typeof SessionList>;
export type SignInAnswer = z.infer<typeof SignInAnswer>;
export type ProofForm = z.infer<typeof ProofForm>;
export type Proof = z.infer<typeof Proof>;
export type ChangePasswordForm = z.input<typeof ChangePasswordForm>;
export type PasswordChanged = z.infer<typeof PasswordChanged>;
export type RecoveryForm = z.infer<typeof RecoveryForm>;
export type TrustedDevice = z.infer<typeof TrustedDevice>;
export type PasskeyRecord = z.infer<typeof PasskeyRecord>;
export type AuditRecord = z.infer<typeof AuditRecord>;
export type AuditPage = z.infer<typeof AuditPage>;
export type RecentEventPage = z.infer<typeof RecentEventPage>;
export type RequestRecord = z.infer<typeof RequestRecord>;
export type RequestPage = z.infer<typeof RequestPage>;
export type RequestDetail = z.infer<typeof RequestDetail>;
export type TwoFactorSetup = z.infer<typeof TwoFactorSetup>;
