import ipaddr from "ipaddr.js";
import { Failure, type FailureCode } from "#core/failure.ts";
import { masked } from "#core/masked.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EndedRequest } from "#core/request.ts";
import type { LoggedRequest } from "#core/request-log.ts";

/** Refusals that the beginning of the body helps to explain. */
const SHOWN_BY_BODY: ReadonlySet<FailureCode> = new Set([
  "body-not-json",
  "body-not-a-plant",
  "member-invalid",
  "address-malformed",
  "id-taken",
]);

/** The parts of requests that an operator may leave out. */
export interface LoggedParts {
  readonly bodies: boolean;
  readonly addresses: AddressDetail;
}

/** True for a request of the dashboard's page. */
export function isOfDashboard({ isApi, person }: EndedRequest): boolean {
  return !isApi || person !== undefined;
}

/** A request as the log stores it, without anything that looks like a secret. */
export function loggedRequest(
  account: AccountNumber,
  request: EndedRequest,
  { bodies, addresses }: LoggedParts,
): LoggedRequest {
  const { token, plantId, outcome, message, span, trace, bytesIn, error, bodyText } = request;
  const agent = request.userAgent.slice(0, 200);
  const ofDashboard = isOfDashboard(request);
  const isShown = bodies && error instanceof Failure && SHOWN_BY_BODY.has(error.code);
  return {
    account,
    requestId: request.id,
    at: Date.now() - Math.round(request.durationMs),
    method: request.method,
    path: loggedPath(request.path, request.query),
    status: request.status,
    error: request.errorNumber,
    ms: Math.round(request.durationMs * 10) / 10,
    source: ofDashboard ? "dashboard" : undefined,
    token: token && !ofDashboard ? { id: token.id, name: token.name } : undefined,
    person: request.person,
    address: loggedAddress(request.address, addresses),
    agent: agent === "" ? undefined : masked(agent),
    bytesIn,
    message: message === undefined ? undefined : masked(message),
    plantId: plantId?.toString(),
    replayed: outcome === "unchanged" || undefined,
    traceId: (span ?? trace)?.traceId,
    excerpt: isShown && bodyText !== undefined ? excerptOf(bodyText) : undefined,
  };
}

const LOGGED_QUERY_LENGTH_MAX = 2000;
const KEPT_PARAMETERS = new Set(["limit", "order", "tag", "q", "cursor"]);

/** The path as it was sent, with the parameters that may be stored, masked. */
export function loggedPath(path: string, query: string): string {
  const kept = query
    .slice(0, LOGGED_QUERY_LENGTH_MAX)
    .split("&")
    .filter((pair) => KEPT_PARAMETERS.has(pair.split("=", 1)[0] ?? ""));
  return masked(kept.length === 0 ? path : `${path}?${kept.join("&")}`).slice(0, 500);
}

/** The part of an address that is stored: all of it, its network (/24, /48), or nothing. */
type AddressDetail = "off" | "network" | "full";

export function loggedAddress(address: string, detail: AddressDetail): string | undefined {
  if (detail === "off" || address === "") return undefined;
  if (detail === "full") return address;
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return `${parsed.octets.slice(0, 3).join(".")}.0/24`;
  const groups = parsed.parts.slice(0, 3).map((group) => group.toString(16));
  return `${groups.join(":")}::/48`;
}

/** The first KiB of a body, masked. */
export function excerptOf(body: string): string {
  // The part beyond the KiB is as long as a secret needs to be recognised, however it is encoded.
  const text = masked(body.slice(0, 1024 + 256));
  return Buffer.from(text)
    .subarray(0, 1024)
    .toString()
    .replace(/\ufffd+$/, "");
}
