import { API_COMMANDS } from "./api-commands.ts";
import { addCommands, newProgram, runWith } from "./command-line.ts";
import { endWhenPrinted, endWithReader } from "./process-end.ts";

/** The command line that a service hands out, on Node: without the commands that need its database. */
endWithReader();
process.exitCode = await runWith(
  (json) => addCommands(newProgram("Speaks to a Plantstore service.", json), API_COMMANDS),
  process.argv.slice(2),
);
setTimeout(endWhenPrinted, 200).unref();
