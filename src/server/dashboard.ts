import { Gate } from "#accounts/gate.ts";
import { dashboardApi } from "#http/dashboard/api.ts";
import { authRoutes } from "#http/dashboard/auth.ts";
import type { Desk } from "#http/dashboard/desk.ts";
import type { KnownTokens } from "#http/known-tokens.ts";
import { pageHeaders } from "#http/page-headers.ts";
import { type DashboardPages, dashboardPages } from "#http/routes/dashboard-pages.ts";
import type { Log, Mount } from "#http/service.ts";
import { TrustedProxies } from "#http/trusted-proxies.ts";
import { type VisitorOf, visitors } from "#http/visitor.ts";
import type { Storage } from "#storage/storage.ts";
import { BundleSource, bundleFolder } from "./bundle.ts";
import { newTokenSecret } from "./operator.ts";
import type { Settings } from "./settings.ts";

export interface DashboardParts {
  readonly storage: Storage;
  readonly tokens: KnownTokens;
  readonly log: Log;
  /** The address at the other end of a request's connection. */
  peer(request: Request): string | undefined;
}

export interface Dashboard {
  readonly gate: Gate;
  /** Who a request comes from, with what a trusted proxy says of it. */
  readonly visitorOf: VisitorOf;
  readonly mounts: readonly Mount[];
}

/** Signing in, the dashboard's own routes, and after these its pages. */
export function openDashboard(settings: Settings, { storage, tokens, log, peer }: DashboardParts): Dashboard {
  const { SIGNUP: signup, SECRET: secret, BASE_URL: baseUrl } = settings;
  const gate = new Gate(storage, { signup, secret });
  const visitorOf = visitors({ baseUrl, proxies: new TrustedProxies(settings.TRUSTED_PROXIES), peer });
  const { store } = storage;
  const desk: Desk = { store, sessions: gate, visitorOf, tokens, log, signup, newSecret: newTokenSecret };
  const pages: DashboardPages = {
    source: new BundleSource(bundleFolder(settings.DATABASE_URL)),
    headers: (request) => pageHeaders(visitorOf(request).secure),
    log,
  };
  return { gate, visitorOf, mounts: [authRoutes(desk), dashboardApi(desk), dashboardPages(pages)] };
}
