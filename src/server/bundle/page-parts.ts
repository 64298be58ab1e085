import type { Output } from "./compress.ts";
import type { Manifest, PageParts } from "./manifest.ts";

const BASE = "/dashboard/assets/";
/** A static import of a chunk, as the bundler writes it. */
const STATIC_IMPORT = /(?:from|import)"\/dashboard\/assets\/([^"]+\.js)"/g;

/** The tags of each kind of page, so that the browser requests everything it loads at once. */
export function pageParts(outputs: readonly Output[]): Pick<Manifest, "pages" | "icon"> {
  const icon = required(outputs, "icon", ".svg");
  const later = required(outputs, "chunk-later-pages", ".js");
  const parts = (entry: string, more: readonly string[] = []) => entryParts(outputs, icon, entry, more);
  // The frame's name, at its own place, so that something is seen while the program loads.
  const root = '<p class="first-line">Plantstore</p>';
  return {
    icon,
    pages: {
      outside: parts("outside"),
      overview: { ...parts("main"), root },
      inside: { ...parts("main", [later]), root },
    },
  };
}

/** Sets the theme before the first paint, then loads the styles, and the program with every chunk that it needs. */
function entryParts(outputs: readonly Output[], icon: string, entry: string, more: readonly string[]): PageParts {
  const program = required(outputs, entry, ".js");
  const preloaded = new Set([program, ...more].flatMap((name) => staticImports(outputs, name)).concat(more));
  const head = [
    `<script src="${BASE}${required(outputs, "first-paint", ".js")}"></script>`,
    `<link rel="icon" href="${BASE}${icon}" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${BASE}${required(outputs, entry, ".css")}">`,
    ...[...preloaded].map((name) => `<link rel="modulepreload" href="${BASE}${name}">`),
  ];
  return { head: `${head.join("\n")}\n`, root: "", body: `<script type="module" src="${BASE}${program}"></script>\n` };
}

function required(outputs: readonly Output[], stem: string, extension: string): string {
  const found = outputs.find(({ name }) => name.startsWith(`${stem}-`) && name.endsWith(extension));
  if (!found) throw new Error(`The bundle has no ${stem}*${extension}`);
  return found.name;
}

function staticImports(outputs: readonly Output[], entry: string): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const source = new TextDecoder().decode(outputs.find((output) => output.name === name)?.bytes);
    for (const [, imported = ""] of source.matchAll(STATIC_IMPORT)) {
      if (found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(entry);
  return [...found];
}
