import type { Scope } from "#core/token.ts";
import { type ApiRequest, requestInit } from "./api-request.ts";
import { withAppPerFile } from "./app-per-file.ts";
import type { OpenApp } from "./open-app.ts";
import type { Holder } from "./test-account.ts";

/**
 * The API over one app for all tests of a file. Before each test it has a new account with a new token, which requests are
 * sent with unless they name another.
 */
export interface Api {
  readonly app: OpenApp;
  readonly holder: Holder;
  readonly token: string;
  send(method: string, path: string, sent?: ApiRequest): Promise<Response>;
}

export function apiPerFile(scopes?: readonly Scope[], environment: Readonly<Record<string, string>> = {}): Api {
  const api: Partial<Api> & Pick<Api, "send"> = {
    async send(method, path, sent) {
      if (!api.app) throw new Error("The app opens before the first test");
      return api.app.send(path, requestInit(method, { ...sent, as: sent?.as ?? api.token }));
    },
  };
  withAppPerFile(async (app, holder) => {
    Object.assign(api, { app, holder, token: await app.token(holder, scopes && { scopes }) });
  }, environment);
  return api as Api;
}
