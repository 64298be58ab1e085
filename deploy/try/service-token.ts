import type { Cluster } from "./cluster.ts";

/** A token of a new account, made as the operator's commands make it. */
export async function newToken(cluster: Cluster): Promise<string> {
  const account = "try@example.com";
  const run = (...args: string[]) => cluster.command(...args);
  await run("account", "create", "--email", account);
  return (await run("token", "create", "--account", account, "--name", "try")).trim();
}
