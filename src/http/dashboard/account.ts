import {
  AccountForm,
  type AccountRemoval,
  DeleteAccountForm,
  MailedToken,
  RecoveryForm,
  type RecoveryLink,
  RecoveryRequest,
  SignUpForm,
  type Welcome,
} from "#contract/dashboard/account.ts";
import { comparedEmail } from "#core/email-address.ts";
import { Failure } from "#core/failure.ts";
import { forAnybody, forPerson, type PrivateRoutes } from "./private-route.ts";
import { storeShown } from "./serve-route.ts";
import { sessionView } from "./session.ts";

/** The ways to an account without a session: by the first account's link, an open sign-up, or a mailed link. */
export const ENTRANCE_ROUTES: PrivateRoutes = {
  "GET /dashboard/api/welcome": forAnybody({}, async ({ signUps, mail, identities }, { search }) => {
    const problem = await signUps.problem(new URLSearchParams(search).get("code") ?? undefined);
    const needs_code = signUps.rule === "first";
    const provider = identities.provider ?? null;
    const message = problem ?? "";
    return { open: problem === undefined, needs_code, message, mail: mail.sendsMail, provider } satisfies Welcome;
  }),

  "POST /dashboard/api/welcome": forAnybody({ form: SignUpForm }, async (context, { client, form, cookies }) => {
    const { store_name: storeName, ...given } = form;
    const { person, cookies: opened } = await context.signUps.make(client, { ...given, storeName });
    cookies.push(...opened);
    const session = { person, proof: { kind: "sign-in", at: Date.now() }, hasPassword: true } as const;
    return sessionView(context, session, client);
  }),

  "POST /dashboard/api/recovery": forAnybody({ form: RecoveryRequest }, ({ mail }, { client, form }) =>
    mail.askForRecovery(client, form.email),
  ),

  "POST /dashboard/api/recovery/link": forAnybody({ form: MailedToken }, async ({ mail }, { form }) => {
    const { person, left } = await mail.inspect(form.token);
    const { activeTokens: active_tokens, ...others } = left;
    return { email_verified: person.emailVerified, active_tokens, ...others } satisfies RecoveryLink;
  }),

  "POST /dashboard/api/recovery/password": forAnybody(
    { form: RecoveryForm },
    async ({ mail }, { client, form: { token, password, ...also }, cookies }) => {
      const asked = {
        revokeTokens: also.revoke_tokens,
        removePasskeys: also.remove_passkeys,
        removeIdentities: also.remove_identities,
        disableWebhooks: also.disable_webhooks,
      };
      cookies.push(...(await mail.recover(client, token, password, asked)));
    },
  ),

  "POST /dashboard/api/verify-email": forAnybody({ form: MailedToken }, ({ mail }, { client, form }) =>
    mail.verify(client, form.token),
  ),
};

export const ACCOUNT_ROUTES: PrivateRoutes = {
  "PATCH /dashboard/api/account": forPerson(
    {
      form: AccountForm,
      proof: ({ form: { email }, session: { person } }) => (!email || email === person.email ? undefined : "asked"),
    },
    async (context, { client, session, storeId, form: { name, email } }) => {
      // A page whose store is gone changes nothing, since it could not read the answer.
      storeShown(session.stores, storeId);
      const person = await context.changePerson(session, { name, email });
      return sessionView(context, { ...session, person }, client, storeId);
    },
  ),

  "POST /dashboard/api/account/send-verification": forPerson({}, ({ mail }, { session }) =>
    mail.askForVerification(session),
  ),

  "GET /dashboard/api/account/removal": forPerson({}, async ({ records }, { session: { person } }) => {
    const stores = await records.people.storesAfterRemoval(person);
    const counted = stores.map(async ({ id, name, account, people, fate }) => {
      return { id, name, plants: await records.plants.count(account), people, fate };
    });
    return { stores: await Promise.all(counted) } satisfies AccountRemoval;
  }),

  "POST /dashboard/api/account/delete": forPerson(
    {
      form: DeleteAccountForm,
      proof({ form: { email }, session: { person } }) {
        if (email === undefined || comparedEmail(email) === person.email) return "asked";
        const message = "Type the account's own e-mail address to remove it with everything it has";
        throw new Failure("member-invalid", message);
      },
    },
    ({ records }, { session: { person }, caller, form }) => records.people.remove(person, form.stores, caller),
  ),
};
