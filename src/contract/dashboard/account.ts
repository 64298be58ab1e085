import { z } from "zod";
import { EMAIL_LENGTH_MAX } from "#core/email-address.ts";
import { Code, Email, Name, Password, StoreName } from "./fields.ts";

/**
 * The account itself: made, changed, recovered, deleted.
 *
 * - `GET /welcome?code=`: 200 Welcome, without a session
 * - `POST /welcome`, SignUpForm: 200 SessionView, and the session's cookie; 403 (40352), 409 (40950)
 * - `PATCH /account`, AccountForm: proof for another e-mail address; 200 SessionView; 409 (40950)
 * - `GET /account/removal`: 200 AccountRemoval, what becomes of one's stores if one's account is deleted
 * - `POST /account/delete`, DeleteAccountForm: proof; 204, and the session is over; 409 (40952, 40954)
 * - `POST /account/send-verification`: 204; mails a link that verifies the e-mail address
 * - `POST /verify-email`, `{ token }`: 204, without a session, also for a link that has verified the address; 403 (40355) for one that is too old or was replaced
 * - `POST /recovery`, `{ email }`: 204 whether there is such an account or not, without a session; 429
 * - `POST /recovery/link`, `{ token }`: 200 RecoveryLink, without a session; the link stays good; 403 (40355)
 * - `POST /recovery/password`, RecoveryForm: 204, without a session, and every session is over; 400, 403 (40355)
 */

export interface Welcome {
  /** True if an account can be created here now, with the given code. */
  readonly open: boolean;
  readonly needs_code: boolean;
  /** The reason why not, as a sentence for the reader; empty if open. */
  readonly message: string;
  /** True if a lost password can be recovered by mail. */
  readonly mail: boolean;
  /** The identity provider by which people sign in, and whether others than owners have to; null if there is none. */
  readonly provider: { readonly name: string; readonly only: boolean } | null;
}

export const SignUpForm = z.object({
  code: z.string().max(200).optional(),
  email: Email,
  password: Password,
  name: Name.optional(),
  /** The name of the first store; by default the person's name. */
  store_name: StoreName.optional(),
});

export const AccountForm = z.object({
  name: Name.optional(),
  email: Email.optional(),
  password: Password.optional(),
  code: Code.optional(),
});

/** `email`, where the reader typed it, must be the account's own; `stores` has the ids of those that they saw go. */
export const DeleteAccountForm = z.object({
  email: z.string().optional(),
  stores: z.array(z.string().max(100)).max(100),
  password: Password.optional(),
  code: Code.optional(),
});

/**
 * `fate` says what becomes of a store: nobody else belongs to it, so that it is removed with all that it has; it stays with its
 * other owners; or it would have none, so that the account is not deleted until somebody else is one.
 */
export interface StoreRemoval {
  readonly id: string;
  readonly name: string;
  readonly plants: number;
  readonly people: number;
  readonly fate: "deleted" | "kept" | "blocking";
}

export interface AccountRemoval {
  readonly stores: readonly StoreRemoval[];
}

/** `token` comes from the mailed link, `/dashboard/verify-email?token=` or `/dashboard/recovery?token=`. */
export const MailedToken = z.object({ token: z.string().max(200) });

export const RecoveryRequest = z.object({ email: z.string().max(EMAIL_LENGTH_MAX) });

/**
 * The other credentials that still work. Where the address was never verified, all of it ends with the recovery, and so
 * does the second factor, since whoever made it need not be the owner of the address.
 */
export interface RecoveryLink {
  readonly email_verified: boolean;
  readonly active_tokens: number;
  readonly passkeys: number;
  readonly identities: number;
  readonly webhooks: number;
}

export const RecoveryForm = MailedToken.extend({
  password: Password,
  revoke_tokens: z.boolean().default(false),
  remove_passkeys: z.boolean().default(false),
  remove_identities: z.boolean().default(false),
  disable_webhooks: z.boolean().default(false),
});
export type RecoveryForm = z.input<typeof RecoveryForm>;
