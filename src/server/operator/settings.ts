import { isFromFile } from "../environment-file.ts";
import { type MisspeltSetting, misspeltSettings } from "../misspelt-settings.ts";
import { defaultValue, givenValue, SETTINGS, type SettingName } from "../settings.ts";

/** A setting as it is in force. */
export interface ListedSetting {
  readonly name: string;
  /** `set` for a secret; null where there is none. */
  readonly value: string | null;
  readonly source: "environment" | "file" | "default";
  readonly meaning: string;
}

interface ListedSettings {
  readonly settings: readonly ListedSetting[];
  readonly misspelt: readonly MisspeltSetting[];
}

/** All settings, also those whose values are refused. */
export function listSettings(environment: Readonly<Record<string, string | undefined>>): ListedSettings {
  const settings = Object.entries(SETTINGS).map(([key, { meaning }]): ListedSetting => {
    const name = key as SettingName;
    const given = givenValue(name, environment);
    const value = given ?? defaultValue(name, environment) ?? null;
    const source = given === undefined ? "default" : isFromFile(name) ? "file" : "environment";
    return { name, value: value && shown(name, value), source, meaning };
  });
  return { settings, misspelt: misspeltSettings(environment) };
}

/** The path of a file is no secret, nor is an address without a password. */
function shown(name: SettingName, value: string): string {
  if (value.startsWith("sqlite:")) return value;
  const { isSecret, adviceOn }: { readonly isSecret: boolean; readonly adviceOn?: unknown } = SETTINGS[name];
  return isSecret || (adviceOn !== undefined && value.includes("@")) ? "set" : value;
}
