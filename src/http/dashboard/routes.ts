import { ACCOUNT_ROUTES, ENTRANCE_ROUTES } from "./account.ts";
import { IDENTITY_ROUTES } from "./identities.ts";
import { IMPORT_ROUTES } from "./imports.ts";
import { PAGE_ROUTES } from "./page-routes.ts";
import { PEOPLE_ROUTES } from "./people.ts";
import type { PrivateRoutes } from "./private-route.ts";
import { SESSION_ROUTES } from "./session.ts";
import { SIGN_IN_ROUTES } from "./sign-in.ts";
import { STORE_ROUTES } from "./stores.ts";
import { TOKEN_ROUTES } from "./tokens.ts";

/** Every private route. An address that has no row is not served. */
export const PRIVATE_ROUTES: PrivateRoutes = {
  ...SIGN_IN_ROUTES,
  ...IDENTITY_ROUTES,
  ...ENTRANCE_ROUTES,
  ...SESSION_ROUTES,
  ...TOKEN_ROUTES,
  ...ACCOUNT_ROUTES,
  ...PEOPLE_ROUTES,
  ...STORE_ROUTES,
  ...IMPORT_ROUTES,
  ...PAGE_ROUTES,
};
