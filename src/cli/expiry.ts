import { DateTime } from "#contract/dashboard/fields.ts";
import { DURATION_FORMS, parseDuration } from "#core/duration.ts";
import { TOKEN_EXPIRES_AT_MAX } from "#core/token.ts";
import { UsageError } from "./report.ts";

/** The time given by a duration from now, such as `90d`, or by an RFC 3339 time, in milliseconds since 1970. */
export function parseExpiry(text: string, now: number): number {
  const duration = parseDuration(text);
  const at = duration === undefined ? timeOf(text) : now + duration;
  if (at === undefined) {
    throw new UsageError(
      `--expires must be ${DURATION_FORMS}, or like 2030-01-31T12:00:00Z, and is ${JSON.stringify(text)}`,
    );
  }
  if (at <= now) throw new UsageError(`--expires must lie ahead, and ${text} does not`);
  if (at > TOKEN_EXPIRES_AT_MAX) throw new UsageError(`--expires must lie before the year 10000, and ${text} does not`);
  return at;
}

/** RFC 3339 also allows small letters, and a space between date and time. */
function timeOf(text: string): number | undefined {
  const { success, data = "" } = DateTime.safeParse(text.toUpperCase().replace(" ", "T"));
  return success ? Date.parse(data) : undefined;
}
