import type { Role } from "#core/role.ts";

/**
 * The session, and the other sessions and trusted devices of its account.
 *
 * - `GET /session`: 200 SessionView; 401 (40150) without a session
 * - `GET /sessions`: 200 SessionList, the current one first
 * - `POST /sessions/{id}/end`: 204
 * - `POST /sessions/end-others`: 204
 * - `GET /trusted-devices`: 200 TrustedDeviceList, those that sign in without a code
 * - `POST /trusted-devices/{id}/forget`: 204
 * - `POST /trusted-devices/forget-all`: 204
 */

export interface LastProof {
  readonly kind: "sign-in" | "asked" | "spent";
  readonly until: string;
}

/** A store to which the person belongs. */
interface StoreRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** True for one that is for trying things out. */
  readonly test: boolean;
}

export interface SessionView {
  readonly account: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly created_at: string;
    readonly two_factor: boolean;
    readonly email_verified: boolean;
    /** False for a person who came by an identity provider and has set no password. */
    readonly has_password: boolean;
  };
  /** The store that the request names (`Plantstore-Account`), otherwise the first of `stores`; null without any. */
  readonly store:
    | (StoreRecord & {
        readonly second_factor_required: boolean;
        /** While a test store is being emptied: the plants that it still has. */
        readonly emptying?: { readonly left: number };
      })
    | null;
  readonly stores: readonly StoreRecord[];
  /** The base address of the API without a slash at its end, as in `${base_url}/v1/plants`. */
  readonly base_url: string;
  readonly signup: "first" | "open" | "closed";
  /** True if the service sends mail, so that addresses are verified and passwords are recovered by a link. */
  readonly mail: boolean;
  /** The name of the identity provider by which people sign in; null if there is none. */
  readonly provider: string | null;
  /** The session's last proof of identity; one that a change of passkeys has used up is spent. */
  readonly proof: LastProof | null;
  readonly versions: { readonly service: string; readonly interface: string; readonly segment: "v1" };
}

interface SignedInDevice {
  readonly id: string;
  readonly current: boolean;
  /** The browser, such as "Firefox on Linux". */
  readonly device: string;
  /** The client's address, or an empty string. */
  readonly address: string;
  readonly created_at: string;
}

export interface SessionRecord extends SignedInDevice {
  readonly last_seen_at: string;
}

export interface SessionList {
  readonly sessions: readonly SessionRecord[];
}

/** A browser for which the second factor is not requested. */
export interface TrustedDevice extends SignedInDevice {
  readonly last_used_at: string;
  readonly expires_at: string;
}

export interface TrustedDeviceList {
  readonly devices: readonly TrustedDevice[];
}
