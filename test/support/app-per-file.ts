import { afterAll, beforeAll, beforeEach } from "bun:test";
import { type OpenApp, openApp } from "./open-app.ts";
import type { Holder } from "./test-account.ts";

/** One app for all tests of a file. Before each test `prepare` is given it with a new account. */
export function withAppPerFile(
  prepare: (app: OpenApp, holder: Holder) => Promise<void>,
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
