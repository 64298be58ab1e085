import {
  AccountForm,
  DeleteAccountForm,
  MailedToken,
  RecoveryForm,
  type RecoveryLink,
  RecoveryRequest,
  SignUpForm,
  type Welcome,
} from "#contract/dashboard/account.ts";
import { Failure } from "#core/failure.ts";
import type { OpenRequest, Routes, SessionRequest } from "./dashboard-context.ts";
import { sessionView } from "./session.ts";

/** The ways to an account without a session: by the first account's link, an open sign-up, or a mailed link. */
export const ENTRANCE_ROUTES: Routes<OpenRequest> = {
  "GET /welcome": async ({ signUps, mail }, { query }) => {
    const problem = await signUps.problem(query("code"));
    const needs_code = signUps.rule === "first";
    return { open: problem === undefined, needs_code, message: problem ?? "", mail: mail.sendsMail } satisfies Welcome;
  },

  "POST /welcome": async (context, { client, form, cookies }) => {
    const { account, ...made } = await context.signUps.make(client, await form(SignUpForm));
    cookies.push(...made.cookies);
    return sessionView(context, { account, proof: { kind: "sign-in", at: Date.now() } }, client);
  },

  "POST /recovery": async ({ mail }, { client, form }) =>
    mail.askForRecovery(client, (await form(RecoveryRequest)).email),

  "POST /recovery/link": async ({ mail }, { form }) => {
    const { account, left } = await mail.inspect((await form(MailedToken)).token);
    const { activeTokens: active_tokens, passkeys, webhooks } = left;
    return { email_verified: account.emailVerified, active_tokens, passkeys, webhooks } satisfies RecoveryLink;
  },

  "POST /recovery/password": async ({ mail }, { client, form, cookies }) => {
    const { token, password, ...also } = await form(RecoveryForm);
    const asked = {
      revokeTokens: also.revoke_tokens,
      removePasskeys: also.remove_passkeys,
      disableWebhooks: also.disable_webhooks,
    };
    cookies.push(...(await mail.recover(client, token, password, asked)));
  },

  "POST /verify-email": async ({ mail }, { client, form }) => mail.verify(client, (await form(MailedToken)).token),
};

export const ACCOUNT_ROUTES: Routes<SessionRequest> = {
  "PATCH /account": async (context, { client, session, form }) => {
    await context.changeAccount(client, session, await form(AccountForm));
    const account = (await context.records.accounts.find({ id: session.account.id })) ?? session.account;
    return sessionView(context, { ...session, account }, client);
  },

  "POST /account/send-verification": ({ mail }, { session }) => mail.askForVerification(session),

  "POST /account/delete": async ({ proofs, records }, { client, session, form }) => {
    const { email, ...proof } = await form(DeleteAccountForm);
    if (email.trim().toLowerCase() !== session.account.email) {
      throw new Failure("member-invalid", "Type the account's own e-mail address to remove it with everything it has");
    }
    await proofs.requireAsked(client, session, proof);
    await records.accounts.remove(session.account, session.source);
  },
};
