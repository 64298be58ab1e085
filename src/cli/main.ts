import { watchForStop } from "#server/process/stop-signal.ts";

const serves = process.argv[2] === "serve" && !process.argv.includes("--limits");
if (serves) watchForStop();
else endWithReader();
const { runCommandLine } = await import("./program.ts");
process.exitCode = await runCommandLine(process.argv.slice(2));
// By then a command that has ended has let go of what it opened.
if (!serves || process.exitCode !== 0) setTimeout(endWhenPrinted, 200).unref();

/** An unanswered request, as to S3, or a connection that PostgreSQL has refused would keep the process for minutes. */
function endWhenPrinted(): void {
  process.stdout.write("", () => process.exit());
}

/** A reader that closes the pipe early, as `head` does, has what it wanted: the command ends, and has not failed. */
function endWithReader(): void {
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}
