import { afterAll, beforeAll, beforeEach } from "bun:test";
import { SCOPES } from "#core/token.ts";
import { type OpenApp, openApp } from "./open-app.ts";
import type { CommandOutcome } from "./process.ts";
import { type StartedCommand, startInProcess } from "./run-in-process.ts";

/** Runs a command of the API's in this process against a service in this process, with the token of a new account. */
export interface ServedApp {
  readonly app: OpenApp;
  readonly url: string;
  /** The token of the test's own account, with every scope. */
  readonly token: string;
  run(...args: string[]): Promise<CommandOutcome>;
  /** Starts a command that goes on until Ctrl-C. */
  start(...args: string[]): StartedCommand;
  /** The same with --json: what it printed, parsed. */
  json<Printed>(...args: string[]): Promise<Printed>;
}

/** One service for all tests of a file, on a port of the loopback. Before each test it has a new account. */
export function withServedApp(environment: Readonly<Record<string, string>> = {}): ServedApp {
  const served = {} as ServedApp;
  let app: OpenApp;
  let server: Bun.Server<undefined>;
  beforeAll(async () => {
    app = await openApp(environment);
    server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => app.send(request.url.slice(server.url.origin.length), request),
    });
  });
  beforeEach(async () => {
    const token = await app.token(await app.account(), { scopes: SCOPES });
    const url = server.url.origin;
    const start = (...args: string[]) => startInProcess(args, { PLANTSTORE_URL: url, PLANTSTORE_TOKEN: token });
    const run = (...args: string[]) => start(...args).ended;
    Object.assign(served, {
      app,
      url,
      token,
      run,
      start,
      async json(...args: string[]) {
        const { code, out, problem } = await run(...args, "--json");
        if (code !== 0) throw new Error(`plantstore ${args.join(" ")} exited with ${code}: ${problem}`);
        return JSON.parse(out);
      },
    });
  });
  afterAll(async () => {
    await server.stop(true);
    await app.close();
  });
  return served;
}
