import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { runProgram, startProgram } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const ENVIRONMENT_FILES = [".env", ".env.local", ".env.development", ".env.production"];

/**
 * Runs the program in a folder whose files would send a token to another address, use another database and run code of
 * their own if the runtime read them; then expects that nothing of it happened, in a command, the server and its backups.
 */
export async function expectFilesUnread(command: readonly string[]): Promise<void> {
  const folder = temporaryFolder();
  const asked: string[] = [];
  using elsewhere = Bun.serve({
    port: 0,
    fetch({ headers }) {
      asked.push(headers.get("Authorization") ?? "");
      return Response.json({ data: [], next_cursor: null });
    },
  });
  const settings = `PLANTSTORE_URL=${elsewhere.url}\nPLANTSTORE_TOKEN=plant_x\nDATABASE_URL=sqlite:elsewhere.db\n`;
  for (const name of ENVIRONMENT_FILES) await Bun.write(join(folder, name), settings);
  await Bun.write(join(folder, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
  await Bun.write(join(folder, "tsconfig.json"), '{ "compilerOptions": { "paths": { "*": ["./preload.ts"] } } }\n');
  await Bun.write(join(folder, "preload.ts"), 'require("node:fs").writeFileSync("code-has-run", "");\n');
  await expect(runProgram([...command, "plants", "list"], folder)).rejects.toThrow("Give an access token");
  const service = await startProgram(command, folder, { BACKUP_TO: "backups", BACKUP_EVERY: "1s" });
  await runProgram([...command, "account", "create", "--email", "grower@example.test"], folder);
  const backups = join(folder, "backups");
  await eventually(
    "a backup is made",
    () => existsSync(backups) && readdirSync(backups).some((name) => /json$/.test(name)),
  );
  expect(await service.stop()).toBe(0);
  expect(asked).toEqual([]);
  expect(readdirSync(folder)).not.toContain("code-has-run");
  expect(readdirSync(folder)).not.toContain("elsewhere.db");
  expect(existsSync(join(folder, "data/plantstore.db"))).toBe(true);
}
