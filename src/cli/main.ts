import { watchForStop } from "#server/stop-signal.ts";

/** By then a failure is printed. */
const EXIT_AFTER_MS = 200;

if (process.argv[2] === "serve") watchForStop();
else endWithReader();
const { runCommandLine } = await import("./program.ts");
process.exitCode = await runCommandLine(process.argv.slice(2));
if (process.exitCode !== 0) setTimeout(endOnFailure, EXIT_AFTER_MS).unref();

/** A request that has got no answer, of an S3 store for example, would keep the process for minutes. */
function endOnFailure(): void {
  if (process.stdout.writableLength === 0) process.exit();
}

/** A reader that closes the pipe early, as `head` does, has what it wanted: the command ends, and has not failed. */
function endWithReader(): void {
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}
