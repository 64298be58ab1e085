import { auditPage } from "./audit.ts";
import { eventPage } from "./events.ts";
import { firstRequestPage, overviewPage } from "./overview.ts";
import type { PageReader } from "./page.ts";
import { matchesPage, nextIdPage, tagsPage } from "./plants.ts";
import { requestPage, requestsPage } from "./requests.ts";
import { tokensPage } from "./token-record.ts";
import { usagePage } from "./usage.ts";

/** The dashboard's own routes that read what grows with the account, by their path below `/dashboard/api`. */
export const PAGES: Readonly<Record<string, PageReader>> = {
  "/tokens": tokensPage,
  "/overview": overviewPage,
  "/plants/matches": matchesPage,
  "/plants/tags": tagsPage,
  "/plants/next-id": nextIdPage,
  "/usage": usagePage,
  "/first-request": firstRequestPage,
  "/audit": auditPage,
  "/requests": requestsPage,
  "/requests/:id": requestPage,
  "/events": eventPage,
};
