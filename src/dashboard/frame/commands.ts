import type { StoredPlant } from "#client/plant.ts";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import type { IconName } from "../components/icon.tsx";
import { DEVELOPER, PLANTS, SECTIONS } from "../program/pages.ts";
import { excerpt } from "../text/sentence.ts";

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

function command(group: Command["group"], icon: IconName, title: string, address: string, words?: string): Command {
  return { id: `${group} ${address}`, title, group, icon, address, words };
}

const FIXED: readonly Command[] = [
  command("Actions", "plus", "Add plant", `${PLANTS}?open=add`, "new create"),
  command("Actions", "upload", "Import plants", `${PLANTS}?open=import`, "CSV NDJSON file"),
  command("Actions", "key", "Create token", `${DEVELOPER}/tokens?make=token`, "new API key"),
  command("Actions", "link", "Add webhook endpoint", `${DEVELOPER}/webhooks?add=webhook`, "new"),
  ...SECTIONS.flatMap(({ title: section, icon, pages }) =>
    pages.map(({ path, title, words }) =>
      command("Pages", icon, pages.length === 1 ? title : `${section}: ${title}`, path, words),
    ),
  ),
];

const TOKENS_MAX = 5;

/** The commands that contain every typed word, followed by the plants found for them. */
export function commandsFor(typed: string, tokens: readonly TokenRecord[], plants: readonly StoredPlant[]): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const fixed = FIXED.filter(({ title, words = "" }) => fits(`${title} ${words}`));
  if (words.length === 0) return fixed;
  const id = typed.trim();
  const request = command("Requests", "developer", `Request ${id}`, `${DEVELOPER}/requests/${encodeURIComponent(id)}`);
  const named = tokens.filter(({ name, hint }) => fits(`${name} ${hint}`)).slice(0, TOKENS_MAX);
  return [
    ...(id.startsWith("req_") ? [request] : []),
    ...fixed,
    ...named.map(({ id, name }) => command("Tokens", "key", name, `${DEVELOPER}/tokens?token=${id}`)),
    ...plants.map(({ id, name }) =>
      command("Plants", "plant", `${excerpt(name) || "(blank)"} · ${id}`, `${PLANTS}?plant=${id}`),
    ),
  ];
}
