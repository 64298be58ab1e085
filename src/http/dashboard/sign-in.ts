import {
  ChangePasswordForm,
  CodeForm,
  GivenProofForm,
  PasskeyForm,
  PasskeyNameForm,
  type PasskeyRecord,
  PasskeyRemovalForm,
  type PasswordChanged,
  type SignInAnswer,
  SignInForm,
} from "#contract/dashboard/sign-in.ts";
import type { ProofNeeded } from "#core/session.ts";
import { forAnybody, forCodeOrPerson, forPerson, type PrivateRoutes } from "./private-route.ts";

/** One address for each kind of code, since browsers' password managers know these addresses. */
const verifyCode = forCodeOrPerson(
  { form: CodeForm, proof: "asked" },
  async ({ signIn, secondFactors }, { client, session, form: { code, trustDevice }, cookies }) => {
    if (session) await secondFactors.confirm(session, code);
    else cookies.push(...(await signIn.withCode(client, code, trustDevice)));
  },
);

/** Signing in and out, passwords, second factors and passkeys. */
export const SIGN_IN_ROUTES: PrivateRoutes = {
  "POST /auth/sign-in/email": forAnybody({ form: SignInForm }, async ({ signIn }, { client, form, cookies }) => {
    const { twoFactor, ...answer } = await signIn.withPassword(client, form);
    cookies.push(...answer.cookies);
    return { two_factor: twoFactor } satisfies SignInAnswer;
  }),

  "POST /auth/sign-out": forAnybody({}, async ({ sessions }, { client, cookies }) => {
    cookies.push(...(await sessions.signOut(client)));
  }),

  "POST /auth/change-password": forPerson(
    { form: ChangePasswordForm, proof: "asked" },
    async (context, { client, session, form: { newPassword, ...also }, cookies }) => {
      const { left, ...renewed } = await context.changePassword(client, session, newPassword, also);
      cookies.push(...renewed.cookies);
      const { activeTokens: active_tokens, ...others } = left;
      return { active_tokens, ...others } satisfies PasswordChanged;
    },
  ),

  "POST /auth/two-factor/enable": forPerson(
    { form: GivenProofForm, proof: "asked" },
    ({ secondFactors }, { session }) => secondFactors.setUp(session),
  ),

  "POST /auth/two-factor/disable": forPerson(
    { form: GivenProofForm, proof: "asked" },
    ({ secondFactors }, { session }) => secondFactors.disable(session),
  ),

  "POST /auth/two-factor/generate-backup-codes": forPerson(
    { form: GivenProofForm, proof: "asked" },
    async ({ secondFactors }, { session }) => ({ backupCodes: await secondFactors.newBackupCodes(session) }),
  ),

  "POST /auth/two-factor/verify-totp": verifyCode,
  "POST /auth/two-factor/verify-backup-code": verifyCode,

  "GET /auth/passkey/generate-register-options": forPerson(
    { proof: "unspent" },
    async ({ passkeys }, { client, session, cookies }) => {
      const made = await passkeys.registrationOptions(client, session);
      cookies.push(...made.cookies);
      return made.options;
    },
  ),

  "POST /auth/passkey/verify-registration": forPerson(
    { form: PasskeyForm, proof: "unspent" },
    async ({ passkeys }, { client, session, form: { response, name }, cookies }) => {
      cookies.push(...(await passkeys.register(client, session, response, name)));
    },
  ),

  "GET /auth/passkey/generate-authenticate-options": forAnybody({}, async ({ signIn }, { client, cookies }) => {
    const made = await signIn.passkeyChallenge(client);
    cookies.push(...made.cookies);
    return made.options;
  }),

  "POST /auth/passkey/verify-authentication": forAnybody(
    { form: PasskeyForm },
    async ({ signIn }, { client, form, cookies }) => {
      cookies.push(...(await signIn.withPasskey(client, form.response)));
    },
  ),

  "GET /auth/passkey/list-user-passkeys": forPerson({}, async ({ passkeys }, { session }) =>
    (await passkeys.list(session)).map(({ id, name, deviceType, backedUp, createdAt }): PasskeyRecord => {
      return { id, name, deviceType, backedUp, createdAt: new Date(createdAt).toISOString() };
    }),
  ),

  "POST /auth/passkey/update-passkey": forPerson({ form: PasskeyNameForm }, ({ passkeys }, { session, form }) =>
    passkeys.rename(session, form.id, form.name),
  ),

  "POST /auth/passkey/delete-passkey": forPerson(
    {
      form: PasskeyRemovalForm,
      async proof({ form, session }, { passkeys }): Promise<ProofNeeded> {
        await passkeys.requireOwn(session, form.id);
        return "unspent";
      },
    },
    ({ passkeys }, { session, form }) => passkeys.remove(session, form.id),
  ),
};
