import { watchForStop } from "#server/process/stop-signal.ts";
import { namedCommand } from "./named-command.ts";
import { endWhenPrinted, endWithReader } from "./process-end.ts";

const args = process.argv.slice(2);
const serves = namedCommand(args) === "serve" && !args.includes("--limits");
if (serves) watchForStop();
else endWithReader();
const { runCommandLine } = await import("./program.ts");
process.exitCode = await runCommandLine(args);
// A finished command has closed its handles by then.
if (!serves || process.exitCode !== 0) setTimeout(endWhenPrinted, 200).unref();
