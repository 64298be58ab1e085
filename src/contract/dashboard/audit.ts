import { z } from "zod";
import type { AuditRecord as StoredRecord } from "#core/audit.ts";
import { Count, DateTime, type RecordPage } from "./fields.ts";

/**
 * The security log of the store that the request names by `Plantstore-Account`, and one's own.
 *
 * - `GET /audit?action=&from=&cursor=&limit=`: owner; 200 AuditPage, newest first; `action=token` finds `token.created` too
 * - `GET /account/audit`, with the same query: the entries of one's own sign-in, credentials and account
 */

export const AuditQuery = z.object({
  /** An action such as `token.created`, or the first part of several, such as `token`. */
  action: z.string().max(50).optional(),
  /** Only entries at or after this time. */
  from: DateTime.transform(Date.parse).optional(),
  cursor: z
    .string()
    .regex(/^aud_[0-9a-f]{32}$/, "must be the next_cursor of a page, unaltered")
    .optional(),
  limit: Count(1, 200).default(50),
});

export interface AuditRecord extends Pick<StoredRecord, "id" | "actor" | "target" | "address" | "device" | "detail"> {
  readonly at: string;
  readonly action: string;
  readonly request_id?: string;
}

export type AuditPage = RecordPage<AuditRecord>;
