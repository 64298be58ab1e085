import { z } from "zod";

/**
 * The request log, on the dashboard's own routes: `GET /dashboard/api/requests` with a RequestLogQuery answers a
 * RequestLogPage, newest first, and `GET /dashboard/api/requests/{request_id}` a RequestLogRecord with its excerpt, or 404
 * (40450).
 */
const Time = z.iso.datetime();
const TimeAsked = z.iso.datetime({ offset: true });

export const RequestLogQuery = z.object({
  /** One status such as `409`, a class such as `4xx`, or `errors` for every answer of 400 and above. */
  status: z
    .string()
    .regex(/^(?:[1-5]\d\d|[1-5]xx|errors)$/)
    .optional(),
  /** The number of the Error shape. */
  error: z.coerce.number().int().optional(),
  /** A token's id. */
  token: z.string().max(100).optional(),
  /** The beginning of the path, such as `/v1/plants`. */
  path: z.string().max(500).optional(),
  /** The decimal of a plant's id. */
  plant: z.string().max(20).optional(),
  /** The client's address. */
  address: z.string().max(100).optional(),
  request_id: z.string().max(100).optional(),
  /** From this time on, and before that one. */
  from: TimeAsked.optional(),
  to: TimeAsked.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const RequestLogRecord = z.object({
  request_id: z.string(),
  at: Time,
  method: z.string(),
  /** With its query, of which only harmless parameters are kept. */
  path: z.string(),
  status: z.int(),
  error: z.int().optional(),
  /** Milliseconds from the head of the request to its answer. */
  ms: z.number(),
  /** Absent where no token was sent; without a name where the dashboard itself asked. */
  token: z.object({ id: z.string(), name: z.string() }).optional(),
  address: z.string().optional(),
  agent: z.string().optional(),
  bytes_in: z.int().optional(),
  /** The message of a refusal. */
  message: z.string().optional(),
  /** The decimal of the plant that it was about. */
  plant_id: z.string().optional(),
  /** A create that was answered like the first one, and wrote nothing. */
  replayed: z.boolean().optional(),
  /** How many successes there were in the same second, of which only the first few are kept. */
  sampled_of: z.int().optional(),
  /** The beginning of the body of a refused request, with tokens masked; only for a single record. */
  excerpt: z.string().optional(),
});

export const RequestLogPage = z.object({
  data: z.array(RequestLogRecord),
  next_cursor: z.string().nullable(),
  /** The oldest time that is still kept, and how many successes a second are. */
  kept: z.object({ from: Time, successes_a_second: z.int() }),
});

export type RequestLogRecord = z.infer<typeof RequestLogRecord>;
export type RequestLogPage = z.infer<typeof RequestLogPage>;
