/** The documents of `docs/` that are guides for who uses the service, in the order of their list. */
export const GUIDES = [
  { name: "first-plant", title: "The first plant" },
  { name: "tokens", title: "Tokens" },
  { name: "import-and-export", title: "Import and export" },
  { name: "webhooks", title: "Events and webhooks" },
  { name: "clients", title: "Clients" },
  { name: "agents", title: "Agents" },
  { name: "people", title: "People and roles" },
  { name: "oidc", title: "Sign-in by your provider" },
  { name: "errors", title: "Errors" },
  { name: "versions", title: "Versions" },
  { name: "operations", title: "Backup, upgrade and operation" },
] as const;

export const GUIDES_PATH = "/docs/guides";
/** All guides as one file, for the search: a list of FoundGuide. */
export const GUIDES_TEXT = `${GUIDES_PATH}/guides.json`;

export interface FoundGuide {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}
