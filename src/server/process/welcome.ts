import type { AuthService } from "#accounts/auth-service.ts";
import type { Log } from "#core/log.ts";
import type { SummingLog } from "#observability/log.ts";
import type { Settings } from "../settings.ts";

interface Welcome {
  readonly authService: AuthService;
  readonly log: SummingLog;
  readonly address: string;
}

export function welcomeSoon(settings: Settings, { authService, log, address }: Welcome): void {
  const origin = settings.BASE_URL ? new URL(settings.BASE_URL).origin : address;
  const greet = async () => {
    welcome(settings, log, address, await firstAccountLink(authService, origin, log));
    const count = await authService.identities.keptOut().catch(() => 0);
    if (count > 0) log.warn({ count }, "people without an identity of the provider cannot sign in (OIDC_ONLY)");
  };
  // Clients that waited for the start are answered first, since the link for the first account takes a transaction.
  setTimeout(greet, 100).unref();
}

/**
 * The link for the first account, valid until the next start; undefined if there is an account, or if SIGNUP uses no
 * link. Waits for a database that is out of reach.
 */
async function firstAccountLink(authService: AuthService, origin: string, log: Log): Promise<string | undefined> {
  for (;;) {
    try {
      const code = await authService.signUps.newCode();
      return code && `${origin}/dashboard/welcome?code=${code}`;
    } catch (error) {
      log.debug({ err: error }, "could not make the link for the first account yet");
      await new Promise((resolve) => setTimeout(resolve, 2000).unref());
    }
  }
}

/** Tells people at a terminal what to do next. The JSON log gets only the first account's link, found nowhere else. */
function welcome(settings: Settings, log: SummingLog, origin: string, link: string | undefined): void {
  if (settings.LOG_FORMAT === "json" || (!settings.LOG_FORMAT && !process.stdout.isTTY)) {
    if (link) log.always.warn({ link }, "open this link to make the first account");
    return;
  }
  console.log(`
  Plantstore listens on ${origin}

  ${link ? `Make the first account here:\n  ${link}` : `The dashboard  ${origin}/dashboard`}

  An account  bin/plantstore account create --email you@example.com
  A token     bin/plantstore token create --account you@example.com --name first
  A plant     curl ${origin}/v1/plants -H "Authorization: Bearer <ACCESS_TOKEN>" \\
                -H "Content-Type: application/json" -d '{"id":1,"name":"Monstera deliciosa"}'
  The API     ${origin}/docs
`);
}
