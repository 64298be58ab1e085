import { Failure, type FailureCode } from "#core/failure.ts";

type Meaning = readonly [code: FailureCode, message: string];

const CODE_REFUSED: Meaning = ["second-factor-refused", "The code is wrong, used up or too old; try the next one"];
const PASSKEY_REFUSED: Meaning = [
  "second-factor-refused",
  "The passkey was not accepted; try again, or use the password",
];
const PASSKEY_UNKNOWN: Meaning = ["resource-unknown", "The account has no such passkey; it may be removed already"];
const OWN_PASSKEY = /^\/passkey\/(?:delete|update)-passkey$/;
const PASSWORD_REFUSED: Meaning = ["password-refused", "The current password is wrong"];
const SESSION_OVER: Meaning = ["session-missing", "You are not signed in, or the session is over: sign in"];
const SIGN_IN_REFUSED: Meaning = ["sign-in-refused", "The e-mail address or the password is wrong"];

/** What better-auth's codes mean here. One that is missing is told by its status alone. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  INVALID_EMAIL_OR_PASSWORD: SIGN_IN_REFUSED,
  INVALID_EMAIL: SIGN_IN_REFUSED,
  INVALID_PASSWORD: PASSWORD_REFUSED,
  CREDENTIAL_ACCOUNT_NOT_FOUND: PASSWORD_REFUSED,
  INVALID_CODE: CODE_REFUSED,
  INVALID_BACKUP_CODE: CODE_REFUSED,
  BACKUP_CODES_NOT_ENABLED: CODE_REFUSED,
  TOTP_NOT_ENABLED: CODE_REFUSED,
  INVALID_TWO_FACTOR_COOKIE: ["session-missing", "It took too long: start again with the password"],
  CHALLENGE_NOT_FOUND: PASSKEY_REFUSED,
  PASSKEY_NOT_FOUND: PASSKEY_REFUSED,
  AUTHENTICATION_FAILED: PASSKEY_REFUSED,
  FAILED_TO_VERIFY_REGISTRATION: PASSKEY_REFUSED,
  SESSION_NOT_FRESH: ["proof-needed", "Confirm that it is you: sign in again first"],
};

const BY_STATUS: Readonly<Record<number, Meaning>> = {
  400: ["member-invalid", "The form is incomplete, or something in it is malformed"],
  401: SESSION_OVER,
  403: ["origin-refused", "This must be sent by the dashboard's own page"],
  404: ["address-unknown", "There is no such address for signing in"],
};

/** The failure that an answer of better-auth's of 400 and more means. */
export async function refusalOf(response: Response, path: string): Promise<Failure> {
  const body = (await response.json().catch(() => ({}))) as { code?: unknown; retryAfter?: string };
  if (response.status === 429) return tooManyCodes(body.retryAfter);
  const notOwn = (response.status === 401 || response.status === 404) && body.code !== "UNAUTHORIZED";
  if (notOwn && OWN_PASSKEY.test(path)) return new Failure(...PASSKEY_UNKNOWN);
  const meaning = MEANINGS[String(body.code)] ?? BY_STATUS[response.status];
  if (meaning) return new Failure(...meaning);
  return new Failure("unavailable", "Signing in is not possible just now; try again", {
    cause: new Error(`better-auth answered ${response.status} ${String(body.code)}`),
    headers: { "Retry-After": "1" },
  });
}

function tooManyCodes(retryAfter = "900"): Failure {
  return new Failure("rate-limited", "Too many codes were tried; try again later", {
    headers: { "Retry-After": retryAfter },
  });
}
