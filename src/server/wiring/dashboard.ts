import { openAuthService } from "#accounts/auth-service.ts";
import { IdentityProvider } from "#accounts/identity-provider.ts";
import type { IdentityOptions } from "#accounts/identity-service.ts";
import { TokenService } from "#accounts/token-service.ts";
import { hostNames } from "#certificates/certificate.ts";
import type { Observer } from "#core/observer.ts";
import { privateMounts } from "#http/dashboard/api.ts";
import type { DashboardContext } from "#http/dashboard/private-route.ts";
import { type DashboardAssets, dashboardPages } from "#http/routes/dashboard-pages.ts";
import { downloadsMount } from "#http/routes/downloads.ts";
import type { Storage } from "#storage/storage.ts";
import { RELEASE } from "../process/release.ts";
import { isHttps, type Settings } from "../settings.ts";

export interface DashboardParts extends Pick<DashboardContext, "tokens" | "reads"> {
  readonly storage: Storage;
  readonly observer: Observer;
  /** The built pages; undefined if there are none. */
  readonly assets: DashboardAssets | undefined;
}

/** Mounts sign-in, the dashboard's own routes, and after these its pages. */
export function openDashboard(settings: Settings, { storage, observer, assets, ...shared }: DashboardParts) {
  const { SIGNUP: signup, SECRET: secret, SECRET_UNTRIMMED: formerSecret } = settings;
  const mail = settings.SMTP_URL !== undefined;
  const identities = identityOptions(settings);
  const authService = openAuthService(storage, { signup, secret, formerSecret, observer, mail, identities });
  const { records } = storage;
  const context: DashboardContext = {
    ...shared,
    ...authService,
    records,
    tokenRules: new TokenService(records),
    release: RELEASE,
  };
  const pages = dashboardPages(assets, (client) => authService.sessions.isSignedIn(client), homeOf(settings));
  return { authService, mounts: [...privateMounts(context), ...pages, downloadsMount(assets?.downloads ?? [])] };
}

/** The pages under another name of the certificate lead to the public address. */
function homeOf(settings: Settings): (host: string) => string | undefined {
  const { BASE_URL, DOMAIN, TLS_CERT_FILE } = settings;
  if (!isHttps(settings) || BASE_URL === undefined) return () => undefined;
  const { origin, hostname } = new URL(BASE_URL);
  const names: readonly string[] = TLS_CERT_FILE === undefined ? DOMAIN : hostNames(TLS_CERT_FILE);
  const isOwn = (host: string) => names.includes(host) || names.includes(host.replace(/^[^.]+/, "*"));
  return (host) => (host !== hostname && isOwn(host) && isOwn(hostname) ? origin : undefined);
}

/** Undefined if the operator has set no identity provider. */
function identityOptions(settings: Settings): IdentityOptions | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId = "", OIDC_CLIENT_SECRET: clientSecret } = settings;
  const { OIDC_MEMBERS: members } = settings;
  if (issuer === undefined) return undefined;
  return {
    name: settings.OIDC_NAME ?? new URL(issuer).host,
    members,
    only: settings.OIDC_ONLY === "on",
    provider: new IdentityProvider({
      issuer,
      clientId,
      clientSecret,
      claims: members.flatMap(({ claim }) => claim ?? []),
    }),
  };
}
