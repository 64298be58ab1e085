import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import { AuthorityClient } from "./authority-client.ts";
import type { Certificate } from "./certificate.ts";

/** The time between two questions, unless the authority names another one within bounds. */
export const ASK_MS = { usual: 6 * HOUR_MS, min: HOUR_MS, max: DAY_MS } as const;
/** Let's Encrypt gives five certificates for the same names in seven days, and dates each back by an hour. */
const EARLIEST_MS = 36 * HOUR_MS;

/** A random moment of the authority's suggested renewal window, in milliseconds since 1970. */
export interface RenewalAdvice {
  readonly id: string;
  readonly at: number;
}

/** The time from which a certificate is to be renewed. Short-lived ones leave less time for failures. */
export function renewalDueAt(
  { id, from, until }: Pick<Certificate, "id" | "from" | "until">,
  advice?: RenewalAdvice,
): number {
  const life = until - from;
  const due = until - life / (life < 10 * DAY_MS ? 2 : 3);
  if (advice === undefined || advice.id !== id) return due;
  // Never so early that its limits could be reached, and never so late that there is little time for failures.
  return Math.max(Math.min(due, from + EARLIEST_MS), Math.min(advice.at, (due + until) / 2));
}

interface Question {
  /** The address of the authority's directory. */
  readonly directory: string;
  readonly id: string;
  /** The advice before, which stays if it still fits. */
  readonly advice: RenewalAdvice | undefined;
  readonly signal: AbortSignal;
  /** Chooses the moment within the window, from 0 to 1. */
  readonly random: number;
}

/** Asks the authority (RFC 9773); undefined if it gives no such advice. Throws an error of one sentence if it gives none now. */
export async function askRenewalInfo({ directory, id, advice, signal, random }: Question) {
  const authority = new AuthorityClient(directory, signal);
  const { renewalInfo } = await authority.directory();
  if (renewalInfo === undefined) return undefined;
  const answer = await authority.call(`${renewalInfo}/${id}`);
  const { suggestedWindow } = authority.parsed<{ suggestedWindow?: { start?: string; end?: string } }>(answer);
  const [start, end] = [Date.parse(suggestedWindow?.start ?? ""), Date.parse(suggestedWindow?.end ?? "")];
  if (!(start < end)) throw new Error(`${authority.host} suggests no time for the renewal (${answer.status})`);
  const isStill = advice?.id === id && start <= advice.at && advice.at <= end;
  return {
    advice: isStill ? advice : { id, at: start + random * (end - start) },
    askAfterMs: askAfterMs(answer.headers.get("retry-after") ?? ""),
  };
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). */
function askAfterMs(header: string): number {
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? ASK_MS.usual : Math.min(Math.max(ms, ASK_MS.min), ASK_MS.max);
}
