import type { StoredPlant } from "#client/plant.ts";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import type { IconName } from "../components/icon.tsx";
import { DEVELOPER } from "../program/page-addresses.ts";
import { SECTIONS } from "../program/pages.ts";

/** An entry of the command palette. Choosing it opens its address. */
export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: "Actions" | "Pages" | "Tokens" | "Plants" | "Requests";
  readonly icon: IconName;
  readonly address: string;
  /** Further words that find it. */
  readonly words?: string;
}

const ACTIONS: readonly Command[] = [
  action("Add plant", "plus", "/dashboard/plants?open=add", "new create"),
  action("Import plants", "upload", "/dashboard/plants?open=import", "CSV NDJSON file"),
  action("Create token", "key", `${DEVELOPER}/tokens?make=token`, "new API key"),
  action("Add webhook endpoint", "link", `${DEVELOPER}/webhooks?add=webhook`, "new"),
];

const PAGE_COMMANDS: readonly Command[] = SECTIONS.flatMap(({ title: section, icon, pages }) =>
  pages.map(({ path, title, words }) => ({
    id: path,
    title: pages.length === 1 ? title : `${section}: ${title}`,
    group: "Pages" as const,
    icon,
    address: path,
    words,
  })),
);

function action(title: string, icon: IconName, address: string, words: string): Command {
  return { id: address, title, group: "Actions", icon, address, words };
}

const TOKENS_MAX = 5;

/** The commands that contain every typed word, followed by the plants found for them. */
export function commandsFor(typed: string, tokens: readonly TokenRecord[], plants: readonly StoredPlant[]): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const known = [...ACTIONS, ...PAGE_COMMANDS].filter(({ title, words = "" }) => fits(`${title} ${words}`));
  if (words.length === 0) return known;
  const named = tokens
    .filter(({ name, hint }) => fits(`${name} ${hint}`))
    .slice(0, TOKENS_MAX)
    .map(({ id, name }) => ({
      id,
      title: name,
      group: "Tokens" as const,
      icon: "key" as const,
      address: `${DEVELOPER}/tokens?token=${id}`,
    }));
  const found = plants.map(({ id, name }) => ({
    id: `plant ${id}`,
    title: `${name || "(blank)"} · ${id}`,
    group: "Plants" as const,
    icon: "plant" as const,
    address: `/dashboard/plants?plant=${id}`,
  }));
  return [...requestCommand(typed.trim()), ...known, ...named, ...found];
}

function requestCommand(typed: string): Command[] {
  if (!typed.startsWith("req_")) return [];
  const address = `${DEVELOPER}/requests/${encodeURIComponent(typed)}`;
  return [{ id: typed, title: `Request ${typed}`, group: "Requests", icon: "developer", address }];
}
