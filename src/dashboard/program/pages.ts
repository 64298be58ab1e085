import type { IconName } from "../components/icon.tsx";

/** The beginnings of addresses that other pages link to. */
export const PLANTS = "/dashboard/plants";
export const DEVELOPER = "/dashboard/developer";
export const SETTINGS = "/dashboard/settings";

export const RELEASE_NOTES = "/dashboard/whats-new";

/** The names in later-pages.ts of the pages that are not part of the first program. */
type LaterPageName =
  | "AccountPage"
  | "EventsPage"
  | "PlantsPage"
  | "ProfilePage"
  | "QuickStartPage"
  | "ReferencePage"
  | "RequestsPage"
  | "SecurityLogPage"
  | "SecurityPage"
  | "TokensPage"
  | "WebhooksPage";

/** A page with an address. Without `later` it is the Overview. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly later?: LaterPageName;
  /** Further words by which the command palette finds it. */
  readonly words: string;
}

/** A group of pages in the navigation. A section with one page has no second level. */
export interface Section {
  readonly title: string;
  readonly icon: IconName;
  readonly pages: readonly [Page, ...Page[]];
}

function page(path: string, title: string, words: string, later?: LaterPageName): Page {
  return { path, title, words, later };
}

export const SECTIONS: readonly Section[] = [
  {
    title: "Overview",
    icon: "overview",
    pages: [page("/dashboard", "Overview", "home chart usage errors latency")],
  },
  {
    title: "Plants",
    icon: "plant",
    pages: [page(PLANTS, "Plants", "search tags", "PlantsPage")],
  },
  {
    title: "Developer",
    icon: "developer",
    pages: [
      page(`${DEVELOPER}/quick-start`, "Quick start", "first request", "QuickStartPage"),
      page(`${DEVELOPER}/tokens`, "Tokens", "API keys secrets", "TokensPage"),
      page(`${DEVELOPER}/requests`, "Requests", "log errors request id", "RequestsPage"),
      page(`${DEVELOPER}/webhooks`, "Webhooks", "endpoints deliveries", "WebhooksPage"),
      page(`${DEVELOPER}/events`, "Events", "feed changes", "EventsPage"),
      page("/docs", "Reference", "API docs OpenAPI errors curl", "ReferencePage"),
    ],
  },
  {
    title: "Settings",
    icon: "settings",
    pages: [
      page(SETTINGS, "Profile", "name e-mail", "ProfilePage"),
      page(`${SETTINGS}/security`, "Security", "password passkeys two-factor sessions devices", "SecurityPage"),
      page(`${SETTINGS}/security-log`, "Security log", "audit sign-ins", "SecurityLogPage"),
      page(`${SETTINGS}/account`, "Account", "delete", "AccountPage"),
    ],
  },
];

export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages);
