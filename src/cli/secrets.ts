import { Option } from "commander";
import { masked } from "#core/masked.ts";
import { SETTINGS } from "#server/settings.ts";

const SECRET_SETTINGS = Object.entries(SETTINGS).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));
const given = new Set<string>();

/** An option whose value, from the command line or the environment, no message repeats. */
export function secretOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string) => {
    const trimmed = value.trim();
    given.add(trimmed);
    return trimmed;
  });
}

/** A message without the values of secret options and settings, and without what looks like a secret. */
export function withoutSecrets(text: string): string {
  const values = [...SECRET_SETTINGS.map((name) => process.env[name]?.trim() ?? ""), ...given];
  // Shorter values are no secrets in use, and may be parts of ordinary words. The path of a SQLite file is no secret.
  const secrets = values.filter((value) => value.length >= 8 && !value.startsWith("sqlite:"));
  return masked(secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), text));
}
