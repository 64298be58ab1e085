import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";

test("a start that is told to stop ends without a warning of what it had begun", async () => {
  const lines: string[] = [];
  const line = (_: object, message: string) => void lines.push(message);
  const log = {
    error: line,
    warn: line,
    info: line,
    debug: line,
    debugEnabled: false,
    always: { info: line, warn: line },
  };
  const stopping = new AbortController();
  // It is told between the opening of the database and the listening.
  let looks = 0;
  stopping.signal.throwIfAborted = () => {
    if (++looks === 2) throw "SIGTERM";
  };
  const settings = readSettings({ DATABASE_URL: `sqlite:${join(temporaryFolder(), "plantstore.db")}`, PORT: "0" });
  const serving = serve(settings, { ...log, lostLines: 0, writeSummaries() {} }, { signal: stopping.signal });
  expect(await serving.catch((reason) => reason)).toBe("SIGTERM");
  await Bun.sleep(50);
  expect(lines).toEqual([]);
});
