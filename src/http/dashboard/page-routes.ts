import { PAGES } from "./pages.ts";
import { type DashboardContext, forPerson, type PrivateRoute, type PrivateRoutes } from "./private-route.ts";

/** Counts are stored only once in a while, and the page may already have shown the request. */
const STORED_BEFORE: Readonly<Record<string, (context: DashboardContext) => Promise<void>>> = {
  "/tokens": ({ tokens }) => tokens.keepLastUsed(),
  "/first-request": ({ tokens }) => tokens.keepUsage(),
};

/** What grows with the account, read by reading threads. */
export const PAGE_ROUTES: PrivateRoutes = Object.fromEntries(
  Object.keys(PAGES).map((path) => [`GET /dashboard/api${path}`, pageRoute(path)]),
);

function pageRoute(path: string): PrivateRoute {
  return forPerson({ isRead: true }, async (context, { caller: { account }, id, search }) => {
    await STORED_BEFORE[path]?.(context);
    const newest = path === "/events" ? await context.records.events.latest() : undefined;
    return (await context.reads.ask(account, "page", { path, account, search, id, newest })).bytes;
  });
}
