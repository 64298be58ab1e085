import type { AuthService } from "#accounts/auth-service.ts";
import type { SummingLog } from "#observability/log.ts";
import { firstAccountLink } from "./first-account.ts";
import type { Settings } from "./settings.ts";

/** Clients that waited for the start are answered first, since the link for the first account takes a transaction. */
const DELAY_MS = 100;

export interface Welcome {
  readonly authService: AuthService;
  readonly log: SummingLog;
  /** The address on which the server listens. */
  readonly address: string;
}

export function welcomeSoon(settings: Settings, { authService, log, address }: Welcome): void {
  const origin = settings.BASE_URL ? new URL(settings.BASE_URL).origin : address;
  const greet = async () => welcome(settings, log, address, await firstAccountLink(authService, origin, log));
  setTimeout(greet, DELAY_MS).unref();
}

/**
 * Tells a person at a terminal what to do next. The JSON log gets only the link for the first account, which appears
 * nowhere else.
 */
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
