import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { Failure } from "#core/failure.ts";
import { CODE_BY_ACCOUNT, SAME_CODE } from "./limits.ts";
import type { LoginThrottle } from "./login-throttle.ts";

const CODE_PATHS: ReadonlySet<string> = new Set(["/two-factor/verify-totp", "/two-factor/verify-backup-code"]);

/** Before a code is looked at: few tries for each account, whichever session or cookie they come with. */
export function limitCodes(throttle: LoginThrottle) {
  return createAuthMiddleware(async (ctx) => {
    if (!CODE_PATHS.has(ctx.path)) return;
    const accountId = (await getSessionFromCtx(ctx))?.user.id ?? (await halfSignedIn(ctx));
    if (accountId === undefined) return;
    try {
      await throttle.count(CODE_BY_ACCOUNT, accountId, Date.now());
    } catch (error) {
      throw asApiError(error, "TOO_MANY_REQUESTS", "RATE_LIMITED");
    }
    try {
      await throttle.count(SAME_CODE, `${accountId} ${ctx.body?.code}`, Date.now());
    } catch (error) {
      throw asApiError(error, "UNAUTHORIZED", "INVALID_CODE");
    }
  });
}

type MiddlewareContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** Who gave the right password and has still to give the code. */
async function halfSignedIn(ctx: MiddlewareContext): Promise<string | undefined> {
  const cookie = ctx.context.createAuthCookie("two_factor");
  const identifier = await ctx.getSignedCookie(cookie.name, ctx.context.secret);
  if (!identifier) return undefined;
  return (await ctx.context.internalAdapter.findVerificationValue(identifier))?.value;
}

function asApiError(error: unknown, status: "TOO_MANY_REQUESTS" | "UNAUTHORIZED", code: string): unknown {
  if (!(error instanceof Failure) || error.code !== "rate-limited") return error;
  return new APIError(status, { code, message: error.message, retryAfter: error.detail.headers?.["Retry-After"] });
}
