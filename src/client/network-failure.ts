import { PlantstoreUnreachable } from "./error.ts";

/** The members of a failed fetch that say why. Node has them in the cause, Bun and Deno in the error itself. */
interface Reason {
  readonly message?: string;
  readonly code?: string;
  readonly syscall?: string;
}

/** Codes of Node and Bun: another try cannot help. */
const NO_ADDRESS =
  /^(ENOTFOUND|CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|UNKNOWN_CERTIFICATE)/;
/** Codes with which a connection was not made. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Node's words for a connection that ended before its encryption began. */
const NO_HANDSHAKE = "before secure TLS connection was established";

/** The failure of a fetch that brought no answer. Browsers do not say why, so that the request may have been sent. */
export function notReached(url: string, error: unknown): PlantstoreUnreachable {
  const { message, code = "", syscall } = reasonOf(error);
  const reason = code === "ECONNREFUSED" ? "the connection is refused" : message || code || String(error);
  const words = `Cannot reach ${url}: ${reason}`;
  if (NO_ADDRESS.test(code)) return new PlantstoreUnreachable("address", words, { cause: error });
  const sent = !(NOT_CONNECTED.has(code) || syscall === "connect" || message?.includes(NO_HANDSHAKE));
  return new PlantstoreUnreachable("network", words, { cause: error, sent });
}

/** Node only says "fetch failed", and has the reason in the cause. */
function reasonOf(error: unknown): Reason {
  const { cause, message, code, syscall } = Object(error) as Reason & { readonly cause?: Reason };
  return cause?.message || cause?.code ? cause : { message, code, syscall };
}
