type Shape = (answer: Record<string, unknown>) => unknown;

/**
 * What is handed on of better-auth's answers. What is not listed is answered with an empty object: no session token
 * reaches a script, and the page asks for what it shows by itself.
 */
export const AnswerShape: Readonly<Record<string, Shape>> = {
  "/sign-in/email": ({ twoFactorRedirect }) => ({ two_factor: twoFactorRedirect === true }),
  "/two-factor/enable": ({ totpURI, backupCodes }) => ({ totpURI, backupCodes }),
  "/two-factor/generate-backup-codes": ({ backupCodes }) => ({ backupCodes }),
  "/passkey/generate-register-options": (options) => options,
  "/passkey/generate-authenticate-options": (options) => options,
  "/passkey/list-user-passkeys": (passkeys) => (passkeys as unknown as Passkey[]).map(shownPasskey),
};

interface Passkey {
  readonly id: string;
  readonly name?: string;
  readonly deviceType: string;
  readonly backedUp: boolean;
  readonly createdAt: string;
}

function shownPasskey({ id, name, deviceType, backedUp, createdAt }: Passkey): Passkey {
  return { id, name, deviceType, backedUp, createdAt };
}
