/** The id of a process that has ended. */
export async function endedProcess(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}
