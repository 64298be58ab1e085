import { z } from "zod";
import { Time } from "./fields.ts";

/**
 * The session, and the other sessions and trusted devices of its account.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /session` | | 200 SessionView; 401 (40150) without a session |
 * | `POST /access-token` | | 200 AccessToken, for `/v1` with every scope until it expires or its session ends: also for `/v1/events` and `/v1/webhooks` |
 * | `GET /sessions` | | 200 `{ sessions: SessionRecord[] }`, the current one first |
 * | `POST /sessions/{id}/end` | | 204 |
 * | `POST /sessions/end-others` | | 204 |
 * | `GET /trusted-devices` | | 200 `{ devices: TrustedDevice[] }`, those that sign in without a code |
 * | `POST /trusted-devices/{id}/forget` | | 204 |
 * | `POST /trusted-devices/forget-all` | | 204 |
 */

const AccountView = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  created_at: Time,
  two_factor: z.boolean(),
  email_verified: z.boolean(),
});

export const SessionView = z.object({
  account: AccountView,
  /** The base address of the API without a slash at its end, as in `${base_url}/v1/plants`. */
  base_url: z.string(),
  signup: z.enum(["first", "open", "closed"]),
  /** True if the service sends mail, so that addresses are verified and passwords are recovered by a link. */
  mail: z.boolean(),
  versions: z.object({ service: z.string(), interface: z.string(), segment: z.literal("v1") }),
});
export type SessionView = z.infer<typeof SessionView>;

export const AccessToken = z.object({ token: z.string(), expires_at: Time });
export type AccessToken = z.infer<typeof AccessToken>;

export const SessionRecord = z.object({
  id: z.string(),
  current: z.boolean(),
  /** As in "Firefox on Linux". */
  device: z.string(),
  /** The client's address, or an empty string. */
  address: z.string(),
  created_at: Time,
  last_seen_at: Time,
});
export type SessionRecord = z.infer<typeof SessionRecord>;

export const SessionList = z.object({ sessions: z.array(SessionRecord) });
export type SessionList = z.infer<typeof SessionList>;

/** A browser for which the second factor is not requested. */
export const TrustedDevice = z.object({
  id: z.string(),
  current: z.boolean(),
  device: z.string(),
  address: z.string(),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
});
export type TrustedDevice = z.infer<typeof TrustedDevice>;
