import type { Bounds } from "./whole-number.ts";

export { EMAIL_LENGTH_MAX } from "#core/email-address.ts";
export {
  PASSKEY_NAME_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PERSON_NAME_LENGTH_MAX,
} from "#core/person.ts";
export { STORE_NAME_LENGTH_MAX } from "#core/store.ts";
export { TOKEN_NAME_LENGTH_MAX } from "#core/token.ts";
export { WEBHOOK_DESCRIPTION_LENGTH_MAX } from "#core/webhook.ts";

export const BODY_SIZE_BYTES_MAX = 1024 * 1024;

/** The characters of the name of an imported file, as UTF-16 counts them. */
export const FILE_NAME_LENGTH_MAX = 255;

/** The bounds of a number in a query, and its value where it is left out. */
export interface CountRange extends Bounds {
  readonly fallback: number;
}

/** The items of a page. */
export const PAGE_LIMIT: CountRange = { min: 1, max: 1000, fallback: 100 };
/** The plants that one request may name by their ids. */
export const PLANT_IDS_MAX = 100;
/** So much of a token's rate limit is for its bulk requests: the rest is left to its single ones. */
export const BULK_RATE_SHARE = 0.75;
/** The refused records that the answer to an import names. */
export const BULK_ERRORS: CountRange = { min: 0, max: 10_000, fallback: 100 };
