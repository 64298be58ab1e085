import { API_COMMANDS } from "./api-commands.ts";
import { addCommands, newProgram, runWith } from "./command-line.ts";

/** The command line that a service hands out: without those commands that need its database. */
process.exitCode = await runWith(
  (json) => addCommands(newProgram("Speaks to a Plantstore service.", json), API_COMMANDS),
  process.argv.slice(2),
);
