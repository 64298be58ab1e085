export {
  ACCOUNT_NAME_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
} from "#core/account.ts";
export { PASSKEY_NAME_LENGTH_MAX } from "#core/auth.ts";
export { TOKEN_NAME_LENGTH_MAX } from "#core/token.ts";
export { WEBHOOK_DESCRIPTION_LENGTH_MAX } from "#core/webhook.ts";

export const BODY_SIZE_BYTES_MAX = 1024 * 1024;
export const PAGE_LIMIT_DEFAULT = 100;
export const PAGE_LIMIT_MAX = 1000;
export const BULK_ERRORS_DEFAULT = 100;
export const BULK_ERRORS_MAX = 10_000;
