/** The beginnings of addresses that other pages link to. */
export const PLANTS = "/dashboard/plants";
export const DEVELOPER = "/dashboard/developer";
export const SETTINGS = "/dashboard/settings";

export const RELEASE_NOTES = "/dashboard/whats-new";

/**
 * A page with an address, and further words by which the command palette finds it. `later` is its name in
 * later-pages.ts; only the Overview is part of the first program.
 */
function page<const Later = undefined>(path: string, title: string, words: string, later?: Later) {
  return { path, title, words, later };
}

/** The groups of pages in the navigation. A section with one page has no second level. */
export const SECTIONS = [
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
] as const;

export const PAGES = SECTIONS.flatMap(({ pages }) => [...pages]);
