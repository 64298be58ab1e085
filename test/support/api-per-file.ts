import type { Account } from "#core/account.ts";
import type { Scope } from "#core/token.ts";
import { withAppPerFile } from "./app-per-file.ts";
import type { OpenApp } from "./open-app.ts";

interface Sent {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of the request, if it is not that of the test's account. */
  readonly as?: string;
  readonly signal?: AbortSignal;
}

/** The API over one app for all tests of a file. Before each test it has a new account with a new token. */
export interface Api {
  readonly app: OpenApp;
  readonly holder: Account;
  readonly token: string;
  send(method: string, path: string, sent?: Sent): Promise<Response>;
}

export function apiPerFile(scopes?: readonly Scope[], environment: Readonly<Record<string, string>> = {}): Api {
  const api: Partial<Api> & Pick<Api, "send"> = {
    async send(method, path, { body, headers, as = api.token, signal } = {}) {
      const all = { Authorization: `Bearer ${as}`, "Content-Type": "application/json", ...headers };
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      if (!api.app) throw new Error("The app opens before the first test");
      return api.app.send(path, { method, headers: all, body: text, signal });
    },
  };
  withAppPerFile(async (app, holder) => {
    Object.assign(api, { app, holder, token: await app.token(holder, scopes && { scopes }) });
  }, environment);
  return api as Api;
}
