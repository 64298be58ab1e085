import type { AuthService } from "#accounts/auth-service.ts";
import type { Log } from "#core/log.ts";

const RETRY_MS = 2000;

/**
 * The link for the first account, valid until the next start; undefined if there is an account, or if SIGNUP uses no
 * link. Waits for a database that is out of reach.
 */
export async function firstAccountLink(
  authService: AuthService,
  origin: string,
  log: Log,
): Promise<string | undefined> {
  for (;;) {
    try {
      const code = await authService.newCode();
      return code && `${origin}/dashboard/welcome?code=${code}`;
    } catch (error) {
      log.debug({ err: error }, "could not make the link for the first account yet");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }
}
