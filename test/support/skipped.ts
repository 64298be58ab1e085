import { describe, test } from "bun:test";
import { lookup } from "node:dns/promises";

type Body = (() => void) | (() => Promise<void>);

/** Registers a test. Where the machine lacks something, the test is reported as skipped, and its name ends with the reason. */
export function testUnless(reason: string | undefined, name: string, body: Body, { concurrent = false } = {}): void {
  if (reason === undefined) (concurrent ? test.concurrent : test)(name, body);
  else test.skip(`${name} (skipped: ${reason})`, body);
}

/** The same for a group of tests. */
export function describeUnless(reason: string | undefined, name: string, body: () => void): void {
  if (reason === undefined) describe(name, body);
  else describe.skip(`${name} (skipped: ${reason})`, body);
}

/** The reason to skip a test that needs this program, or undefined if it is installed. */
export function missingProgram(name: string, path = process.env.PATH): string | undefined {
  return Bun.which(name, { PATH: path }) ? undefined : `${name} is not installed`;
}

/** The reason to skip a test that calls this machine by its name: it may have no `/etc/hosts`. */
export async function missingLocalhost(): Promise<string | undefined> {
  return lookup("localhost").then(
    () => undefined,
    () => "this machine does not know localhost",
  );
}
