import { Failure } from "#core/failure.ts";
import { isWellFormedSecret, type Scope } from "#core/token.ts";
import { errorNumber } from "./answer.ts";
import type { CachedToken, TokenCache } from "./token-cache.ts";

const CHALLENGE = 'Bearer realm="plantstore"';
const BEARER = /^bearer(?: +(.*))?$/i;

/** Bearer authentication as in RFC 6750. The answer comes at once for a token that is known and fresh. */
export function authenticate(
  known: TokenCache,
  request: Request,
  scope: Scope,
  now: number,
): CachedToken | Promise<CachedToken> {
  const header = request.headers.get("authorization") ?? "";
  const fresh = known.fresh(header, now);
  return fresh ? permitted(fresh, scope) : lookedUp(known, header, scope);
}

async function lookedUp(known: TokenCache, header: string, scope: Scope): Promise<CachedToken> {
  const secret = BEARER.exec(header)?.[1]?.trim();
  if (!secret) throw missing();
  const found = isWellFormedSecret(secret) ? await known.lookUp(header, secret) : undefined;
  if (!found) throw refused();
  return permitted(found, scope);
}

function permitted(known: CachedToken, scope: Scope): CachedToken {
  if (known.token.scopes.includes(scope)) return known;
  const failure = new Failure("scope-missing", `This token may not do that: it lacks the scope ${scope}`, {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });
  known.usage.refused(errorNumber(failure));
  throw failure;
}

function missing(): Failure {
  return new Failure("token-missing", "Send a token: Authorization: Bearer <ACCESS_TOKEN>", {
    headers: { "WWW-Authenticate": CHALLENGE },
  });
}

function refused(): Failure {
  return new Failure(
    "token-refused",
    "The token is unknown, malformed, expired or revoked; send exactly one that is active",
    {
      headers: { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` },
    },
  );
}
