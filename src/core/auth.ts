export const PASSKEY_NAME_LENGTH_MAX = 50;

/** Every address under `/auth`, with its method: signing in and out, passwords, second factors and passkeys. */
export const AUTH_METHODS = {
  "/sign-in/email": "POST",
  "/sign-out": "POST",
  "/change-password": "POST",
  "/two-factor/enable": "POST",
  "/two-factor/disable": "POST",
  "/two-factor/generate-backup-codes": "POST",
  "/two-factor/verify-totp": "POST",
  "/two-factor/verify-backup-code": "POST",
  "/passkey/generate-register-options": "GET",
  "/passkey/verify-registration": "POST",
  "/passkey/generate-authenticate-options": "GET",
  "/passkey/verify-authentication": "POST",
  "/passkey/list-user-passkeys": "GET",
  "/passkey/update-passkey": "POST",
  "/passkey/delete-passkey": "POST",
} as const;

/** A path below `/auth`, without that prefix. */
export type AuthPath = keyof typeof AUTH_METHODS;

export function isAuthPath(path: string): path is AuthPath {
  return Object.hasOwn(AUTH_METHODS, path);
}

export interface AuthAnswer {
  readonly body: object;
  /** `Set-Cookie` lines. */
  readonly cookies: readonly string[];
}
