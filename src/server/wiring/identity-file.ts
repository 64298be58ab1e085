import { readFileSync } from "node:fs";
import { isIdentity } from "#backup/stored-form.ts";
import { readable } from "../process/handover.ts";
import { fileProblem } from "../process/user-name.ts";
import { InvalidSetting } from "../settings.ts";

/** The keys in a file as `age-keygen` writes it. Throws InvalidSetting, which repeats nothing of the file; `name` is of the setting or option. */
export async function readIdentities(path: string, name: string): Promise<string[]> {
  const keys: string[] = [];
  for (const [index, text] of read(path, name).split("\n").entries()) {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (!(await isIdentity(line)))
      throw new InvalidSetting(
        `${name}: line ${index + 1} of ${path} is not an age identity (AGE-SECRET-KEY-…), or not whole`,
      );
    keys.push(line);
  }
  if (keys.length === 0) throw new InvalidSetting(`${name}: ${path} holds no age identity (AGE-SECRET-KEY-…)`);
  return keys;
}

function read(path: string, name: string): string {
  try {
    return readFileSync(readable(path), "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new InvalidSetting(`${name}: there is no identity file ${path}`, { cause });
    throw new InvalidSetting(`${name} ${path} ${fileProblem(path, cause)}`, { cause });
  }
}
