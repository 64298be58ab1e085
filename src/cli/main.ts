import { watchForStop } from "#server/process/stop-signal.ts";
import { endWhenPrinted, endWithReader } from "./process-end.ts";

const serves = process.argv[2] === "serve" && !process.argv.includes("--limits");
if (serves) watchForStop();
else endWithReader();
const { runCommandLine } = await import("./program.ts");
process.exitCode = await runCommandLine(process.argv.slice(2));
// A finished command has closed its handles by then.
if (!serves || process.exitCode !== 0) setTimeout(endWhenPrinted, 200).unref();
