import { afterAll, beforeAll, beforeEach } from "bun:test";
import type { Person } from "#core/person.ts";
import { type OpenApp, openApp } from "./open-app.ts";

/** One app for all tests of a file. Before each test `prepare` is given it with a new account. */
export function withAppPerFile(
  prepare: (app: OpenApp, holder: Person) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): void {
  let app: OpenApp | undefined;
  beforeAll(async () => {
    app = await openApp(environment);
  });
  beforeEach(async () => {
    if (app) await prepare(app, await app.account());
  });
  afterAll(() => app?.close());
}
