import type { ClientInfo } from "#core/client-info.ts";
import type { Job } from "#core/job.ts";
import type { AccountChange, Session } from "#core/session.ts";
import { removeExpiredRows } from "#storage/sign-in/expired-rows.ts";
import type { Storage } from "#storage/storage.ts";
import { AuthRoutes } from "./auth-routes.ts";
import { MailedLinks } from "./mailed-links.ts";
import { SignIn } from "./sign-in.ts";
import { type SignInOptions, signInParts } from "./sign-in-parts.ts";
import { SignUp, type SignUpRule } from "./sign-up.ts";

export interface AuthServiceOptions extends SignInOptions {
  readonly signup: SignUpRule;
  /** True if the service sends mail. */
  readonly mail: boolean;
}

export type AuthService = ReturnType<typeof openAuthService>;

/** Sign-in, sessions and credentials, as the HTTP routes need them. Every method rejects with a Failure. */
export function openAuthService(storage: Storage, options: AuthServiceOptions) {
  const parts = signInParts(storage, options);
  const { sessions, trustedDevices, proofs, accounts } = parts;
  const mail = new MailedLinks(parts, options.mail);
  /** Removes expired sessions, attempts, devices and tokens, in small batches. */
  const job: Job = {
    name: "expired-sign-ins",
    intervalMs: 10 * 60_000,
    firstDelayMs: 30_000,
    exclusive: true,
    run: async ({ now }) => ((await removeExpiredRows(storage, now)) ? 0 : undefined),
  };
  return {
    sessions,
    trustedDevices,
    proofs,
    mail,
    signUps: new SignUp(parts, options.signup, mail),
    routes: new AuthRoutes(parts, new SignIn(parts)),
    job,

    async changeAccount(client: ClientInfo, session: Session, change: AccountChange): Promise<void> {
      const { name, email, ...proof } = change;
      const changesEmail = email !== undefined && email.toLowerCase() !== session.account.email;
      if (changesEmail) await proofs.requireAsked(client, session, proof);
      const changed = { name, email: changesEmail ? email : undefined };
      await accounts.change(session.account, changed, session.source);
      if (changesEmail) await mail.verifyNew(session.account);
    },
  };
}
