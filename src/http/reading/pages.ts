import type { Right } from "#core/role.ts";
import { auditPage, ownAuditPage } from "./audit.ts";
import { eventPage } from "./events.ts";
import { importedPlantsPage, importPage, importsPage } from "./imports.ts";
import { firstRequestPage, overviewPage } from "./overview.ts";
import type { PageReader } from "./page.ts";
import { creatorsPage, matchesPage, nextIdPage, removedPage, tagsPage } from "./plants.ts";
import { requestPage, requestsPage } from "./requests.ts";
import { tokensPage } from "./tokens.ts";
import { usagePage } from "./usage.ts";

interface Page {
  /** Undefined for what the person's own log has. */
  readonly right: Right | undefined;
  /** The rights of parts, as a private route has them. */
  readonly parts?: Readonly<Record<string, Right>>;
  readonly read: PageReader;
}

/** The dashboard's own routes that read what grows with the account, by their path below `/dashboard/api`. */
export const PAGES: Readonly<Record<string, Page>> = {
  "/tokens": { right: "use tokens", read: tokensPage },
  "/overview": { right: "read figures", parts: { active_tokens: "use tokens" }, read: overviewPage },
  "/plants/matches": { right: "read plants", read: matchesPage },
  "/plants/tags": { right: "read plants", read: tagsPage },
  "/plants/creators": { right: "read plants", read: creatorsPage },
  "/plants/next-id": { right: "read plants", read: nextIdPage },
  "/plants/removed": { right: "read plants", read: removedPage },
  "/imports": { right: "read plants", read: importsPage },
  "/imports/:id": { right: "read plants", read: importPage },
  "/imports/:id/plants": { right: "read plants", read: importedPlantsPage },
  "/usage": { right: "read figures", parts: { token: "use tokens" }, read: usagePage },
  "/first-request": { right: "use tokens", read: firstRequestPage },
  "/audit": { right: "read security log", read: auditPage },
  "/account/audit": { right: undefined, read: ownAuditPage },
  "/requests": { right: "read requests", read: requestsPage },
  "/requests/:id": { right: "read requests", read: requestPage },
  "/events": { right: "read events", read: eventPage },
};
