import { newMigratedDatabase } from "./engines.ts";
import type { CommandOutcome } from "./process.ts";
import { type StartedCommand, startInProcess } from "./run-in-process.ts";
import { temporaryFolder } from "./service.ts";
import { addAccount, onDatabase } from "./test-account.ts";

/** Runs operator's commands in this process, on one new SQLite file for all tests of a file. */
export interface OperatorCommands {
  readonly databaseUrl: string;
  /** The address of a new account; made without the command, which takes a tenth of a second for its password. */
  account(): Promise<string>;
  run(...args: string[]): Promise<CommandOutcome>;
  /** Starts a command that goes on until Ctrl-C. */
  start(...args: string[]): StartedCommand;
  /** The same with --json, which must succeed: the parsed output. */
  json<Printed>(...args: string[]): Promise<Printed>;
}

export async function operatorCommands(): Promise<OperatorCommands> {
  const databaseUrl = await newMigratedDatabase("sqlite", temporaryFolder());
  await onDatabase({ DATABASE_URL: databaseUrl }, async () => {});
  const start = (...args: string[]) => startInProcess(args, { DATABASE_URL: databaseUrl });
  const run = (...args: string[]) => start(...args).ended;
  let accounts = 0;
  return {
    databaseUrl,
    async account() {
      const email = `account${++accounts}@example.test`;
      await onDatabase({ DATABASE_URL: databaseUrl }, (storage) => addAccount(storage, email));
      return email;
    },
    run,
    start,
    async json(...args) {
      const { code, out, problem } = await run(...args, "--json");
      if (code !== 0) throw new Error(`plantstore ${args.join(" ")} exited with ${code}: ${problem}`);
      return JSON.parse(out);
    },
  };
}
