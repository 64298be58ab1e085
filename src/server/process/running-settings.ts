import { createHmac, randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { replaceFile } from "#files/replace-file.ts";
import { givenValue, SETTINGS, type SettingName } from "../settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that a running server was given, beside its pid file. Of those that may hold a secret only a hash is kept. */
interface Recorded {
  /** Base64. */
  readonly key: string;
  readonly values: Readonly<Partial<Record<SettingName, string>>>;
}

/** `restart` sets it for every server that it starts. */
const NAMES = (Object.keys(SETTINGS) as SettingName[]).filter((name) => name !== "TAKE_OVER");

const fileBeside = (pidFile: string) => `${pidFile}.settings`;

export function recordSettings(pidFile: string, environment: Environment): void {
  const key = randomBytes(32).toString("base64");
  replaceFile(fileBeside(pidFile), JSON.stringify({ key, values: recorded(environment, key) } satisfies Recorded));
}

export function forgetSettings(pidFile: string): void {
  rmSync(fileBeside(pidFile), { force: true });
}

/** Says of each setting that the running server was given otherwise how they differ; of secrets the name alone. */
export function differingSettings(pidFile: string, environment: Environment): string[] {
  const running = readRecorded(pidFile);
  if (!running) return [];
  const here = recorded(environment, running.key);
  return NAMES.filter((name) => running.values[name] !== here[name]).map((name) =>
    mayHoldSecret(name)
      ? name
      : `${name} (${running.values[name] ?? "not set"} there, ${here[name] ?? "not set"} here)`,
  );
}

function recorded(environment: Environment, key: string): Recorded["values"] {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = givenValue(name, environment);
      if (value === undefined) return [];
      return [[name, mayHoldSecret(name) ? createHmac("sha256", key).update(value).digest("base64") : value]];
    }),
  );
}

/** Undefined where a server of another version has left none. */
function readRecorded(pidFile: string): Recorded | undefined {
  try {
    return JSON.parse(readFileSync(fileBeside(pidFile), "utf8"));
  } catch {
    return undefined;
  }
}

/** An address may hold a password. */
function mayHoldSecret(name: SettingName): boolean {
  const setting: { readonly isSecret: boolean; readonly adviceOn?: unknown } = SETTINGS[name];
  return setting.isSecret || setting.adviceOn !== undefined;
}
