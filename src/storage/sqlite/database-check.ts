import { Thread } from "#threads/thread.ts";
import type { PlantNumbers } from "./check-parts.ts";
import { checkSchema } from "./known-schema.ts";
import type { DatabaseContent } from "./snapshot.ts";
import type { SnapshotFunctions } from "./snapshot-worker.ts";

/**
 * Checks a file that nobody writes to, as `PRAGMA integrity_check` does, and counts its rows. Two threads share the parts,
 * and signals are answered meanwhile. Throws an error that says how the file is damaged, or the Failure of a thread that
 * could not check it.
 */
export async function checkDatabase(path: string): Promise<DatabaseContent> {
  await checkSchema(path);
  const start = () => new Worker(new URL("./snapshot-worker.ts", import.meta.url), { smol: true });
  const newThread = () => new Thread<SnapshotFunctions>({ start, onFailed() {} });
  const [one, other] = [newThread(), newThread()];
  try {
    const [content, parts] = [one.call("pages", path), other.call("tables", path)];
    let left: Iterable<PlantNumbers> | undefined;
    const checkPlants = async (thread: typeof one, before: Promise<unknown>) => {
      await before;
      // Both threads take from the same parts.
      left ??= (await parts).values();
      for (const part of left) await thread.call("plants", { path, ...part });
    };
    await Promise.all([checkPlants(one, content), checkPlants(other, parts)]);
    return await content;
  } finally {
    one.close();
    other.close();
  }
}
