import { masked } from "#core/masked.ts";
import { SETTINGS } from "./settings.ts";

const SECRET_SETTINGS = Object.entries(SETTINGS).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));

/** A text without the values of secret settings and these others, and without what looks like a secret. */
export function withoutSecretValues(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  others: Iterable<string> = [],
): string {
  const values = [...SECRET_SETTINGS.map((name) => environment[name] ?? ""), ...others];
  // Shorter values are no secrets in use, and may be parts of ordinary words. The path of a SQLite file is no secret.
  const secrets = values.filter((value) => value.length >= 8 && !value.startsWith("sqlite:"));
  return masked(secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), text));
}
