import { z } from "zod";
import { parseEmail } from "#core/email-address.ts";
import { GIVEN_CODE_LENGTH_MAX, GIVEN_PASSWORD_LENGTH_MAX, PERSON_NAME_LENGTH_MAX } from "#core/person.ts";
import { readWholeNumber } from "../whole-number.ts";

/**
 * The dashboard's own routes: `/dashboard/api/*`, by session cookie alone, JSON both ways, not part of the public API. The
 * files of this folder hold the routes, the forms and the answers, one file for each subject. A refusal has the Error
 * shape; the numbers are those of `errors.ts` and `../errors.ts`. Every changing request must come from the
 * page's own origin. A form has at most 16 KiB. Times are RFC 3339 in UTC.
 *
 * Routes marked "proof" may answer 403 (40354). The page then asks for the password (and the code, if the account has a
 * second factor) or a passkey, sends it to `POST /proof`, and sends the same request again. Routes whose form has
 * `password` and `code` take the proof in the form as well.
 */

/** A page of a log. `next_cursor` is null on the last one. */
export interface RecordPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

export const DateTime = z.iso.datetime({ offset: true });

export function Count(min: number, max: number) {
  return z
    .string()
    .refine((text) => readWholeNumber(text, { min, max }) !== undefined, `must be a whole number from ${min} to ${max}`)
    .transform(Number);
}

export const Email = z.string().transform((text, context) => {
  const address = parseEmail(text);
  if (address === undefined) context.addIssue("must be an e-mail address");
  return address ?? z.NEVER;
});

export const Password = z.string().max(GIVEN_PASSWORD_LENGTH_MAX);

export const Name = z.string().trim().min(1).max(PERSON_NAME_LENGTH_MAX);

export const Code = z.string().trim().max(GIVEN_CODE_LENGTH_MAX);
