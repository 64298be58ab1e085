import type { Right } from "#contract/dashboard/role.ts";

export const PLANTS = "/dashboard/plants";
export const ACTIVITY = "/dashboard/activity";
export const DEVELOPER = "/dashboard/developer";
export const SETTINGS = "/dashboard/settings";

export const RELEASE_NOTES = "/dashboard/whats-new";

/**
 * A page with an address, the right that it takes, and further words by which the command palette finds it. A page without a
 * right is everybody's own, also in no store. `later` is its name in later-pages.ts; only the Overview is part of the first
 * program.
 */
function page<const Later = undefined>(path: string, title: string, words: string, later?: Later, right?: Right) {
  return { path, title, right, words, later };
}

/** The groups of pages in the navigation. A section with one page has no second level. */
const SECTIONS = [
  {
    title: "Overview",
    icon: "overview",
    pages: [page("/dashboard", "Overview", "home recent tags", undefined, "read figures")],
  },
  {
    title: "Plants",
    icon: "plant",
    pages: [page(PLANTS, "Plants", "search tags", "PlantsPage", "read plants")],
  },
  {
    title: "Activity",
    icon: "clock",
    pages: [page(ACTIVITY, "Activity", "feed changes who history", "ActivityPage", "read events")],
  },
  {
    title: "Developer",
    icon: "developer",
    pages: [
      page(
        `${DEVELOPER}/overview`,
        "Overview",
        "chart usage errors latency requests",
        "DeveloperOverviewPage",
        "read requests",
      ),
      page(`${DEVELOPER}/quick-start`, "Quick start", "first request", "QuickStartPage", "use tokens"),
      page(`${DEVELOPER}/tokens`, "Tokens", "API keys secrets", "TokensPage", "use tokens"),
      page(`${DEVELOPER}/requests`, "Requests", "log errors request id", "RequestsPage", "read requests"),
      page(`${DEVELOPER}/webhooks`, "Webhooks", "endpoints deliveries", "WebhooksPage", "use webhooks"),
      page(`${DEVELOPER}/events`, "Events", "feed changes", "EventsPage", "use webhooks"),
      page("/docs", "Reference", "API docs guides OpenAPI errors curl", "ReferencePage"),
    ],
  },
  {
    title: "Settings",
    icon: "settings",
    pages: [
      page(SETTINGS, "Profile", "name e-mail", "ProfilePage"),
      page(`${SETTINGS}/security`, "Security", "password passkeys two-factor sessions devices", "SecurityPage"),
      page(`${SETTINGS}/store`, "Store", "name rules second factor new test store remove", "StorePage", "manage store"),
      page(`${SETTINGS}/people`, "People", "invite members roles team", "PeoplePage", "see people"),
      page(`${SETTINGS}/security-log`, "Security log", "audit sign-ins", "SecurityLogPage"),
      page(`${SETTINGS}/account`, "Account", "delete sign-in", "AccountPage"),
    ],
  },
] as const;

/** The sections that the reader is offered. Who looks after plants alone has no use for the reference either. */
export function offeredSections(may: (right: Right | undefined) => boolean) {
  const isGardener = may("read plants") && !may("use tokens");
  return SECTIONS.filter(({ title }) => !(isGardener && title === "Developer"));
}

export const PAGES = SECTIONS.flatMap(({ pages }) => [...pages]);

/** The right that the page at an address takes. */
export function rightOf(address: string): Right | undefined {
  const [path = ""] = address.split(/[?#]/, 1);
  const found = PAGES.filter((page) => path === page.path || (page.later && path.startsWith(`${page.path}/`)));
  return found.sort((a, b) => b.path.length - a.path.length)[0]?.right;
}
