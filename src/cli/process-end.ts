/** An unanswered request, as to S3, or a connection that PostgreSQL has refused would keep the process for minutes. */
export function endWhenPrinted(): void {
  process.stdout.write("", () => process.exit());
}

/**
 * A reader that closes the pipe early, as `head` does, has what it wanted: the command ends, and has not failed. After any
 * other error, such as that of a full disk, whatever the command waits for would never come.
 */
export function endWithReader(): void {
  process.stderr.on("error", () => {});
  process.stdout.on("error", async (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    const { reportFailure } = await import("./report.ts");
    const problem = new Error(`Cannot write to standard output: ${error.message}`);
    process.exit(reportFailure(problem, process.argv.includes("--json")));
  });
}
