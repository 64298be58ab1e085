interface Guide {
  /** The last part of its address. */
  readonly name: string;
  readonly title: string;
}

/** The documents of `docs/` that the service shows, in the order of their list. */
export const GUIDES = [
  { name: "first-plant", title: "The first plant" },
  { name: "tokens", title: "Tokens" },
  { name: "from-a-spreadsheet", title: "From a spreadsheet" },
  { name: "import-and-export", title: "Import and export" },
  { name: "webhooks", title: "Events and webhooks" },
  { name: "clients", title: "Clients" },
  { name: "agents", title: "Agents" },
  { name: "price-list", title: "Recipe: a price list every month" },
  { name: "stock", title: "Recipe: stock" },
  { name: "nightly-sync", title: "Recipe: a nightly sync" },
  { name: "spreadsheet", title: "Recipe: a spreadsheet" },
  { name: "mirror", title: "Recipe: a mirror" },
  { name: "webhook-receiver", title: "Recipe: a webhook receiver" },
  { name: "web-page", title: "Recipe: from a web page" },
  { name: "people", title: "People and roles" },
  { name: "oidc", title: "Sign-in by your provider" },
  { name: "errors", title: "Errors" },
  { name: "versions", title: "Versions" },
  { name: "load", title: "Limits" },
  { name: "operations", title: "Backup, upgrade and operation" },
  { name: "settings", title: "Settings" },
  { name: "https", title: "HTTPS" },
  { name: "logs", title: "The log" },
  { name: "metrics", title: "Metrics" },
] as const satisfies readonly Guide[];

/** Those that lie in `docs/recipes`. */
export const RECIPES: readonly string[] = [
  "price-list",
  "stock",
  "nightly-sync",
  "spreadsheet",
  "mirror",
  "webhook-receiver",
  "web-page",
];

export const GUIDES_PATH = "/docs/guides";
/** The address in the examples of guides, for which readers see that of the service. */
export const EXAMPLE_ADDRESS = "http://127.0.0.1:3000";
/** The address below which lie the files of the repository that guides link to. */
export const LINKED_FILES = `${GUIDES_PATH}/files/`;
/** False for the pages whose examples mean another service: one behind a proxy, or that of who wrote the file. */
export function showsOwnAddress(pathname: string): boolean {
  return !pathname.startsWith(`${GUIDES_PATH}/https`) && !pathname.startsWith(LINKED_FILES);
}
/** All guides as one file, for the search: a list of FoundGuide. */
export const GUIDES_TEXT = `${GUIDES_PATH}/guides.json`;

export interface FoundGuide extends Guide {
  readonly text: string;
}
