import { PAGES } from "../reading/pages.ts";
import {
  type DashboardContext,
  forMember,
  forPerson,
  type MemberRequest,
  type PersonRequest,
  type PrivateRoutes,
} from "./private-route.ts";

/** Counts are stored only once in a while, and the page may already have shown the request. */
const STORED_BEFORE: Readonly<Record<string, (context: DashboardContext) => Promise<void>>> = {
  "/tokens": ({ tokens }) => tokens.keepLastUsed(),
  "/first-request": ({ tokens }) => tokens.keepUsage(),
};

/** The routes of all that grows with the account, which reading threads read. */
export const PAGE_ROUTES: PrivateRoutes = Object.fromEntries(
  Object.entries(PAGES).map(([path, { right, parts }]) => [
    `GET /dashboard/api${path}`,
    right ? forMember(right, { parts, isRead: true }, reading(path)) : forPerson({ isRead: true }, reading(path)),
  ]),
);

/** The turn is the person's, so that one member does not hold back the others. */
function reading(path: string) {
  return async (
    context: DashboardContext,
    request: PersonRequest & Partial<Pick<MemberRequest, "store" | "parts">>,
  ) => {
    const { session, store, id, search, parts = [] } = request;
    const { id: person } = session.person;
    // Account 0 is no store: the page then shows only what is the person's own.
    const account = store?.account ?? 0;
    await STORED_BEFORE[path]?.(context);
    const newest = path === "/events" ? await context.records.events.latest() : undefined;
    const page = { path, account, parts, person, search, id, newest } as const;
    return (await context.reads.ask(`person ${person}`, "page", page)).bytes;
  };
}
