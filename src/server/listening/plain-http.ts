import { ERRORS, errorBody } from "#contract/errors.ts";
import { pathOf, queryOf } from "#http/address.ts";

const CHALLENGES = "/.well-known/acme-challenge/";

interface PlainHttpParts {
  /** The answer to the authority's question for this token (RFC 8555, 8.3); undefined if it has not asked so. */
  challenge(token: string): string | undefined;
  /** The service's HTTPS origin; undefined until HTTPS is served. */
  origin(): string | undefined;
}

/**
 * Answers a request over plain HTTP: where HTTPS is, the authority's questions, `/healthz`, and nothing else. Each answer ends its
 * connection, since the runtime would read on to the end of a body that nobody has asked for.
 */
export function answerPlainHttp(request: Request, parts: PlainHttpParts): Response {
  const answer = answerTo(request, parts);
  answer.headers.set("Connection", "close");
  answer.headers.set("X-Content-Type-Options", "nosniff");
  return answer;
}

function answerTo(request: Request, { challenge, origin }: PlainHttpParts): Response {
  const path = pathOf(request.url) ?? "/";
  if (path.startsWith(CHALLENGES)) {
    const answer = challenge(path.slice(CHALLENGES.length));
    return answer === undefined ? refused("address-unknown", "No authority asks for this") : new Response(answer);
  }
  if (path === "/healthz") return Response.json({ status: "ok" });
  const secure = origin();
  if (request.headers.has("authorization")) {
    const where = secure === undefined ? "" : `: ${secure}`;
    return refused(
      "https-required",
      `Use https${where}. A token that was sent over plain http may be known: replace it.`,
    );
  }
  if (secure === undefined) {
    return refused("unavailable", "There is no certificate yet, and is one soon; the log of the service says why", "5");
  }
  const query = queryOf(request.url);
  return Response.redirect(`${secure}${path}${query && `?${query}`}`, 308);
}

function refused(
  code: "address-unknown" | "https-required" | "unavailable",
  message: string,
  retryAfter?: string,
): Response {
  const { error, status } = ERRORS[code];
  const headers = { "Content-Type": "application/json", ...(retryAfter && { "Retry-After": retryAfter }) };
  return new Response(errorBody(error, message), { status, headers });
}
