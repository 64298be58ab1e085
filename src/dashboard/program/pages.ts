import type { Right } from "#contract/dashboard/role.ts";

export const PLANTS = "/dashboard/plants";
export const DEVELOPER = "/dashboard/developer";
export const SETTINGS = "/dashboard/settings";

export const RELEASE_NOTES = "/dashboard/whats-new";

/**
 * A page with an address, the right that it takes, and further words by which the command palette finds it. A page without a
 * right is everybody's own, also in no store. `later` is its name in later-pages.ts; only the Overview is part of the first
 * program.
 */
function page<const Later = undefined>(
  path: string,
  title: string,
  right: Right | undefined,
  words: string,
  later?: Later,
) {
  return { path, title, right, words, later };
}

/** The groups of pages in the navigation. A section with one page has no second level. */
export const SECTIONS = [
  {
    title: "Overview",
    icon: "overview",
    pages: [page("/dashboard", "Overview", "read figures", "home chart usage errors latency")],
  },
  {
    title: "Plants",
    icon: "plant",
    pages: [page(PLANTS, "Plants", "read plants", "search tags", "PlantsPage")],
  },
  {
    title: "Developer",
    icon: "developer",
    pages: [
      page(`${DEVELOPER}/quick-start`, "Quick start", "use tokens", "first request", "QuickStartPage"),
      page(`${DEVELOPER}/tokens`, "Tokens", "use tokens", "API keys secrets", "TokensPage"),
      page(`${DEVELOPER}/requests`, "Requests", "read requests", "log errors request id", "RequestsPage"),
      page(`${DEVELOPER}/webhooks`, "Webhooks", "use webhooks", "endpoints deliveries", "WebhooksPage"),
      page(`${DEVELOPER}/events`, "Events", "read events", "feed changes", "EventsPage"),
      page("/docs", "Reference", undefined, "API docs OpenAPI errors curl", "ReferencePage"),
    ],
  },
  {
    title: "Settings",
    icon: "settings",
    pages: [
      page(SETTINGS, "Profile", undefined, "name e-mail", "ProfilePage"),
      page(
        `${SETTINGS}/security`,
        "Security",
        undefined,
        "password passkeys two-factor sessions devices",
        "SecurityPage",
      ),
      page(`${SETTINGS}/people`, "People", "see people", "invite members roles team", "PeoplePage"),
      page(`${SETTINGS}/security-log`, "Security log", undefined, "audit sign-ins", "SecurityLogPage"),
      page(`${SETTINGS}/account`, "Account", undefined, "delete store", "AccountPage"),
    ],
  },
] as const;

export const PAGES = SECTIONS.flatMap(({ pages }) => [...pages]);

/** The right that the page at an address takes. */
export function rightOf(address: string): Right | undefined {
  const [path = ""] = address.split(/[?#]/, 1);
  const found = PAGES.filter((page) => path === page.path || (page.later && path.startsWith(`${page.path}/`)));
  return found.sort((a, b) => b.path.length - a.path.length)[0]?.right;
}
