import { createWriteStream, existsSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { keptPlantLine } from "#contract/v1/plant.ts";
import { replaceFileBy } from "#files/replace-file.ts";
import { readable } from "../process/handover.ts";
import { inStore } from "./operator.ts";

/** Writes the plants of one store of that database to a new file, and resolves with their number. */
export function extractStore(database: string, account: string, file: string) {
  return inStore(
    account,
    async ({ reads }, caller) => {
      let plants = 0;
      async function* lines() {
        for await (const page of reads.plants.export(caller.account)) {
          plants += page.length;
          yield Buffer.from(page.map(keptPlantLine).join(""));
        }
      }
      await writeNew(file, lines());
      return { plants };
    },
    { ...process.env, DATABASE_URL: `sqlite:${database}` },
  );
}

/** Root has made the file already for a command that it runs as another user. */
async function writeNew(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const opened = readable(file);
  if (typeof opened === "number") return pipeline(chunks, createWriteStream("", { fd: opened }));
  if (existsSync(file)) throw new Error(`${file} exists already: name a new file`);
  await replaceFileBy(file, chunks);
}
