import { DateTime } from "#contract/dashboard/fields.ts";
import { TOKEN_EXPIRES_AT_MAX } from "#core/token.ts";
import { UsageError } from "./report.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The time given by `30s`, `15m`, `12h` or `90d` from now, or by an RFC 3339 time, in milliseconds since 1970. */
export function parseExpiry(text: string, now: number): number {
  const [, amount, unit = ""] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const at = amount ? now + Number(amount) * (UNIT_MS[unit] ?? 0) : timeOf(text);
  if (at === undefined) {
    throw new UsageError(
      `--expires must be like 30s, 15m, 12h, 90d or 2030-01-31T12:00:00Z, and is ${JSON.stringify(text)}`,
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
