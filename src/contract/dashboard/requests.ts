import { z } from "zod";
import type { LoggedRequest } from "#core/request-log.ts";
import { Count, DateTime, type RecordPage } from "./fields.ts";

/**
 * The account's request log.
 *
 * - `GET /requests?status=&error=&token=&path=&plant=&address=&request_id=&source=&from=&to=&cursor=&limit=`: 200
 *   RequestPage, newest first; `status` is 409 or 4xx, or several as in 4xx,5xx
 * - `GET /requests/{request_id}`: 200 RequestDetail; 404 (40450)
 */

/** A status such as 409, a class of them such as 4xx, or several of these. */
const StatusFilter = z
  .string()
  .regex(
    /^[1-5](?:\d\d|xx)(?:,[1-5](?:\d\d|xx)){0,9}$/,
    "must be a status such as 409, a class such as 4xx, or at most 10 of these with commas between them",
  )
  .transform((text) => text.split(",").map((status) => Number(status.replace("xx", ""))));

export const RequestsQuery = z.object({
  status: StatusFilter.optional(),
  /** A number of the error table. */
  error: Count(0, 99_999).optional(),
  /** The id of a token. */
  token: z.string().max(100).optional(),
  /** The beginning of the path. */
  path: z.string().max(500).optional(),
  /** A plant's id as a decimal. */
  plant: z.string().max(20).optional(),
  address: z.string().max(100).optional(),
  request_id: z.string().max(100).optional(),
  /** If omitted, the dashboard's own requests are left out, unless one is searched for by its id. */
  source: z.literal("dashboard", 'it must be "dashboard"').optional(),
  from: DateTime.transform(Date.parse).optional(),
  to: DateTime.transform(Date.parse).optional(),
  cursor: Count(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: Count(1, 200).default(50),
});

type Other =
  | "account"
  | "requestId"
  | "at"
  | "token"
  | "agent"
  | "bytesIn"
  | "plantId"
  | "sampledOf"
  | "traceId"
  | "excerpt";

export interface RequestRecord extends Omit<LoggedRequest, Other> {
  readonly request_id: string;
  readonly at: string;
  /** Null for a request of the dashboard's page. */
  readonly token: { readonly id: string; readonly name: string } | null;
  /** The beginning of its User-Agent; empty if it sent none. */
  readonly agent: string;
  /** Null if the request said no length: it had no body, or one in chunks. */
  readonly bytes_in: number | null;
  readonly plant_id?: string;
  /** The number of similar requests in the same second, if only some of them are stored. */
  readonly sampled_of?: number;
  readonly trace_id?: string;
}

export interface RequestPage extends RecordPage<RequestRecord> {
  /**
   * `from` is the time of the oldest stored request. It is null if there is none, or if the log is off
   * (`successes_a_second` is then 0).
   */
  readonly kept: { readonly from: string | null; readonly successes_a_second: number };
}

export interface RequestDetail extends RequestRecord {
  /** The beginning of a refused body. */
  readonly excerpt?: string;
}
