import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { AccountService } from "#accounts/account-service.ts";
import { replaceFileBy } from "#files/replace-file.ts";
import { readable } from "../process/handover.ts";
import { readSettings } from "../settings.ts";
import { openExisting } from "./operator.ts";
import { personData } from "./person-data.ts";

/** Writes all that is stored about the person to files of a new or empty folder, and resolves with their names. */
export async function exportPerson(email: string, folder: string): Promise<string[]> {
  const storage = await openExisting(readSettings(process.env));
  try {
    const person = await new AccountService(storage).requirePerson(email);
    const opened = readable(folder);
    // The way to a folder that root has opened may be closed to this user.
    const place = typeof opened === "number" ? `/proc/self/fd/${opened}` : opened;
    mkdirSync(place, { recursive: true, mode: 0o700 });
    if (readdirSync(place).length > 0) throw new Error(`${folder} is not empty: name a new folder`);
    const files: string[] = [];
    for await (const [name, content] of personData(storage, person)) {
      const path = join(place, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const chunks =
        "value" in content ? [Buffer.from(`${JSON.stringify(content.value, undefined, 2)}\n`)] : lines(content);
      await replaceFileBy(path, chunks, { mode: 0o600 });
      files.push(name);
    }
    return files;
  } finally {
    await storage.records.close();
  }
}

async function* lines(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let waiting = "";
  for await (const text of texts) {
    waiting += `${text}\n`;
    if (waiting.length < 256 * 1024) continue;
    yield Buffer.from(waiting);
    waiting = "";
  }
  yield Buffer.from(waiting);
}
