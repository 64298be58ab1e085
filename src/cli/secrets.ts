import { Option } from "commander";
import { withoutSecretValues } from "#server/secrets.ts";

const given = new Set<string>();

/** An option whose value, from the command line or the environment, no message repeats. */
export function secretOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string) => {
    given.add(value);
    return value;
  });
}

/** A message without the values of secret options and settings, and without what looks like a secret. */
export function withoutSecrets(text: string): string {
  return withoutSecretValues(text, process.env, given);
}
