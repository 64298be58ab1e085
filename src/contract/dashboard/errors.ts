import type { SignedInFailureCode } from "#core/failure.ts";

/** The errors of the dashboard's own routes and of `/auth/*`, in addition to those of the public table. */
export const DASHBOARD_ERRORS = {
  "session-missing": { error: 40150, when: "no session, or it is over: sign in" },
  "sign-in-refused": { error: 40152, when: "the e-mail address or the password is wrong" },
  "second-factor-refused": { error: 40153, when: "the code or the passkey is wrong or used up" },
  "identity-unknown": { error: 40154, when: "nobody is known here by this identity of the provider" },
  "identity-refused": { error: 40155, when: "the provider's answer is not good, or was cancelled" },
  "origin-refused": { error: 40350, when: "a changing request that is not from the page's own origin" },
  "password-refused": { error: 40351, when: "the current password is wrong" },
  "sign-up-refused": { error: 40352, when: "no account can be made here now, or not with this code" },
  "proof-needed": { error: 40354, when: "it takes a proof: the password (and a code), or a passkey" },
  "link-refused": { error: 40355, when: "the link of a mail or an invitation is used, revoked, too old or malformed" },
  "role-refused": { error: 40356, when: "the role in this store does not allow it" },
  "invitation-for-another": { error: 40357, when: "the invitation is for another address" },
  "second-factor-missing": { error: 40358, when: "this store asks for a second factor or a passkey" },
  "provider-required": { error: 40359, when: "this service asks for the identity provider" },
  "resource-unknown": {
    error: 40450,
    when: "there is no such store, person, token, session, device or passkey of yours",
  },
  "account-exists": { error: 40950, when: "the e-mail address has an account already" },
  "member-already": { error: 40951, when: "who is invited belongs to the store already" },
  "last-owner": { error: 40952, when: "the store would have no owner" },
  "identity-taken": { error: 40953, when: "the identity belongs to another person" },
  "last-way-in": { error: 40955, when: "the person could not sign in any more" },
  "provider-unavailable": { error: 50350, when: "the identity provider cannot be reached" },
} as const satisfies Record<SignedInFailureCode, { error: number; when: string }>;
