import { AuthService } from "#accounts/auth-service.ts";
import { type ClientInfoOf, clientInfo } from "#http/client-info.ts";
import { dashboardApi } from "#http/dashboard/api.ts";
import { authRoutes } from "#http/dashboard/auth.ts";
import type { DashboardContext } from "#http/dashboard/dashboard-context.ts";
import { pageHeaders } from "#http/page-headers.ts";
import { type DashboardAssets, dashboardPages } from "#http/routes/dashboard-pages.ts";
import type { Log, Mount } from "#http/service.ts";
import type { TokenCache } from "#http/token-cache.ts";
import { TrustedProxies } from "#http/trusted-proxies.ts";
import type { Storage } from "#storage/storage.ts";
import { newTokenSecret } from "./operator.ts";
import type { Settings } from "./settings.ts";

export interface DashboardParts {
  readonly storage: Storage;
  readonly tokens: TokenCache;
  readonly log: Log;
  /** The built pages; undefined if there are none. */
  readonly assets: DashboardAssets | undefined;
  /** The address at the other end of a request's connection. */
  peer(request: Request): string | undefined;
}

export interface Dashboard {
  readonly authService: AuthService;
  /** Who a request comes from, with what a trusted proxy says of it. */
  readonly clientInfoOf: ClientInfoOf;
  readonly mounts: readonly Mount[];
}

/** Signing in, the dashboard's own routes, and after these its pages. */
export function openDashboard(settings: Settings, { storage, tokens, log, assets, peer }: DashboardParts): Dashboard {
  const { SIGNUP: signup, SECRET: secret, BASE_URL: baseUrl } = settings;
  const authService = new AuthService(storage, { signup, secret });
  const clientInfoOf = clientInfo({ baseUrl, proxies: new TrustedProxies(settings.TRUSTED_PROXIES), peer });
  const { store } = storage;
  const context: DashboardContext = {
    store,
    sessions: authService,
    clientInfoOf,
    tokens,
    log,
    signup,
    newSecret: newTokenSecret,
  };
  const headers = (request: Request) => pageHeaders(clientInfoOf(request).secure);
  return {
    authService,
    clientInfoOf,
    mounts: [authRoutes(context), dashboardApi(context), ...dashboardPages(assets, headers)],
  };
}
