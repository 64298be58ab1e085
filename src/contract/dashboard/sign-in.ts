import { z } from "zod";
import { Code, Password, Time } from "./fields.ts";

/**
 * Signing in (`/auth/*`, by the same rules), the proof that a form may ask for, and everything that an account signs in with.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `POST /proof` | ProofForm | 200 Proof; 403 (40351) for a wrong password, 401 (40153) for a wrong code or passkey |
 * | `POST /auth/sign-in/email` | `{ email, password, rememberMe? }` | 200 SignInAnswer; 401 (40152), 429 (42901) |
 * | `POST /auth/sign-out` | | 200 |
 * | `POST /auth/change-password` | `{ newPassword, currentPassword?, code?, revokeTokens?, removePasskeys?, disableWebhooks? }` | proof; 200 PasswordChanged, other sessions and trusted devices are over |
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

/** With `two_factor`, the sign-in is not complete: send a code to verify-totp or verify-backup-code. */
export const SignInAnswer = z.object({ two_factor: z.boolean() });
export type SignInAnswer = z.infer<typeof SignInAnswer>;

/** The password, with a code of the app or a backup code if the account has a second factor; or a passkey's answer. */
export const ProofForm = z.union([
  z.object({ passkey: z.record(z.string(), z.unknown()) }),
  z.object({ password: Password, code: Code.optional() }),
]);
export type ProofForm = z.infer<typeof ProofForm>;

export const Proof = z.object({ until: Time });
export type Proof = z.infer<typeof Proof>;

/**
 * The tokens and passkeys that still give access after the change of password, and the webhook endpoints that are still
 * called. The page offers to end them.
 */
export const PasswordChanged = z.object({ active_tokens: z.int(), passkeys: z.int(), webhooks: z.int() });
export type PasswordChanged = z.infer<typeof PasswordChanged>;

export const TwoFactorSetup = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });
export type TwoFactorSetup = z.infer<typeof TwoFactorSetup>;

export const PasskeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  deviceType: z.string(),
  backedUp: z.boolean(),
  createdAt: Time,
});
export type PasskeyRecord = z.infer<typeof PasskeyRecord>;
