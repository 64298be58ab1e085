import { z } from "zod";
import type { RecoveryLink } from "./account.ts";
import { Code, Password } from "./fields.ts";

/**
 * Signing in (`/auth/*`, by the same rules), the proof that a form may ask for, and everything that an account signs in with.
 *
 * - `POST /proof`, ProofForm: 200 Proof; 403 (40351) for a wrong password, 401 (40153) for a wrong code or passkey
 * - `POST /auth/sign-in/email`, `{ email, password, rememberMe? }`: 200 SignInAnswer; 401 (40152), 429 (42901)
 * - `POST /auth/sign-out`: 200
 * - `POST /auth/change-password`, `{ newPassword, currentPassword?, code?, revokeTokens?, removePasskeys?,
 *   removeIdentities?, disableWebhooks? }`: proof; 200 PasswordChanged, other sessions and trusted devices are over
 * - `POST /auth/two-factor/enable`, `{ password?, code? }`: proof; 200 TwoFactorSetup; in effect after verify-totp
 * - `POST /auth/two-factor/disable`, `{ password?, code? }`: proof; 200; trusted devices are forgotten
 * - `POST /auth/two-factor/generate-backup-codes`, `{ password?, code? }`: proof; 200 `{ backupCodes }`
 * - `POST /auth/two-factor/verify-totp`, `…/verify-backup-code`, `{ code, trustDevice? }`: 200; 401 (40153)
 * - `GET /auth/passkey/generate-authenticate-options`: 200, WebAuthn's JSON; the challenge is good for 5 minutes
 * - `POST /auth/passkey/verify-authentication`, `{ response }`: 200, signed in; 401 (40153)
 * - `GET /auth/passkey/generate-register-options`: proof made for this change alone; 200, WebAuthn's JSON
 * - `POST /auth/passkey/verify-registration`, `{ response, name? }`: proof made for this change alone; 200
 * - `GET /auth/passkey/list-user-passkeys`: 200 PasskeyRecord[]
 * - `POST /auth/passkey/update-passkey`, `{ id, name }`: 200
 * - `POST /auth/passkey/delete-passkey`, `{ id, password?, code? }`: proof made for this change alone; 200
 */

const PasskeyId = z.string().max(100);

export const SignInForm = z.object({
  email: z.string().max(1024),
  password: Password,
  rememberMe: z.boolean().default(true),
});

export const CodeForm = z.object({ code: Code, trustDevice: z.boolean().default(false) });

/** A proof of identity in a form; without one it must have been given before. */
export const GivenProofForm = z.object({ password: Password.optional(), code: Code.optional() });

export const ChangePasswordForm = z
  .object({
    currentPassword: Password.optional(),
    newPassword: Password,
    code: Code.optional(),
    revokeTokens: z.boolean().default(false),
    removePasskeys: z.boolean().default(false),
    removeIdentities: z.boolean().default(false),
    disableWebhooks: z.boolean().default(false),
  })
  .transform(({ currentPassword: password, ...form }) => ({ ...form, password }));

/** `response` is a passkey's, which the library checks. */
export const PasskeyForm = z.object({ response: z.unknown(), name: z.string().max(1024).default("Passkey") });

export const PasskeyNameForm = z.object({ id: PasskeyId, name: z.string().max(1024) });

export const PasskeyRemovalForm = GivenProofForm.extend({ id: PasskeyId });

export interface SignInAnswer {
  /** True if the sign-in is not complete: send a code to verify-totp or verify-backup-code. */
  readonly two_factor: boolean;
}

/** The password, with a code of the app or a backup code if the account has a second factor; or a passkey's answer. */
export const ProofForm = z
  .object({ passkey: z.record(z.string(), z.unknown()).optional(), ...GivenProofForm.shape })
  .transform(({ passkey, password, code }, context) => {
    if (passkey) return { passkey };
    if (password === undefined) context.addIssue({ code: "custom", path: ["password"], message: "is missing" });
    return { password, code };
  });

export interface Proof {
  readonly until: string;
}

/**
 * The tokens and passkeys that still give access after the change of password, and the webhook endpoints that are still
 * called. The page offers to end them.
 */
export type PasswordChanged = Omit<RecoveryLink, "email_verified">;

export interface TwoFactorSetup {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export interface PasskeyRecord {
  readonly id: string;
  readonly name: string;
  readonly deviceType: string;
  readonly backedUp: boolean;
  readonly createdAt: string;
}
