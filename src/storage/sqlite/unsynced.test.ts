import { beforeEach, expect } from "bun:test";
import { join } from "node:path";
import { filledDatabase } from "#test/support/filled-database.ts";
import { outcomeOf } from "#test/support/process.ts";
import { ROOT, temporaryFolder } from "#test/support/service.ts";
import { testUnless } from "#test/support/skipped.ts";
import { openStorage } from "../open.ts";

const NOT_LINUX = process.platform === "linux" ? undefined : "an fsync is made to fail on Linux only";
const ACCOUNT = 1;

let url: string;
beforeEach(async () => {
  url = `sqlite:${await filledDatabase(temporaryFolder(), 0)}`;
});

/** Creates the plant 1 in a process that is killed, whose fsyncs fail or kill it from then on. */
async function createUnsynced(from: "opening" | "opened", end: "fail" | "kill") {
  const command = [process.execPath, join(ROOT, "test/support/unsynced-writer.ts"), url, `${ACCOUNT}`, from, end];
  return outcomeOf(Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" }));
}

async function createAgain(): Promise<string> {
  const { records } = await openStorage(url);
  const outcome = await records.plants.create(ACCOUNT, { id: 1n, name: "Fern", tag: undefined });
  await records.close();
  return outcome;
}

testUnless(
  NOT_LINUX,
  "a create whose fsync failed is told that it may have been kept: after a kill it can be there",
  async () => {
    const { out } = await createUnsynced("opened", "fail");
    expect(out).toBe(
      "unavailable: The disk did not confirm it, so it may have been kept or not. Send it again: to repeat it is safe.\n",
    );
    expect(await createAgain()).toBe("unchanged");
  },
);

testUnless(
  NOT_LINUX,
  "a create of a process that was killed before its fsync is brought to the disk before it is read",
  async () => {
    expect(await createUnsynced("opened", "kill")).toMatchObject({ out: "", code: 128 + 31 });
    const { out, problem } = await createUnsynced("opening", "fail");
    expect(out).toBe("");
    expect(problem).toContain("EIO");
    expect(await createAgain()).toBe("unchanged");
  },
);
