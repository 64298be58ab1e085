import { openApiDocument } from "#contract/openapi/document.ts";
import type { OpenApiDocument } from "#dashboard/reference/openapi.ts";
import type { Pages } from "#http/routes/dashboard-pages.ts";
import type { Output } from "./compress.ts";
import { guideFiles } from "./guides.ts";

const BASE = "/dashboard/assets/";
/** A static import of a chunk, as the bundler writes it. */
const STATIC_IMPORT = /(?:from|import)"\/dashboard\/assets\/([^"]+\.js)"/g;
const DESCRIPTION = "The dashboard of Plantstore: plants, tokens and usage.";
const REFERENCE = "/docs";
const REFERENCE_DESCRIPTION = "Every request and answer of the Plantstore API.";
const NEEDS_SCRIPTS =
  'This page needs JavaScript. The API does not: <a href="/openapi.json">openapi.json</a> describes it.';
const OVERVIEW = "/dashboard";
/** The origin in whose place readers see the service's own. */
const NOWHERE = "http://127.0.0.1";
/** An address that no page has. */
const OTHER = "/dashboard/other";

interface HtmlPages {
  readonly names: Pages<string>;
  /** The guides, by their addresses. */
  readonly guides: Readonly<Record<string, Output>>;
  readonly outputs: readonly Output[];
}

/** Builds the HTML of every page. A browser paints the page from it, and requests all parts of its program at once. */
export async function htmlPages(outputs: readonly Output[], icon: string, root: string): Promise<HtmlPages> {
  // They are imported here because they need libraries, and the build looks for these first.
  const { operationsOf } = await import("#dashboard/reference/openapi.ts");
  const { plainReference } = await import("./plain-reference.ts");
  const { PAGES } = await import("#dashboard/program/pages.ts");
  const { prerender } = await import("#dashboard/program/prerender.tsx");
  const reference: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument("")));
  const rarePages = await import("#dashboard/program/rare-pages.tsx");
  const later = required(outputs, "chunk-later-pages", ".js");
  const rare = required(outputs, "chunk-rare-parts", ".js");
  const pages: Output[] = [];
  const add = (page: string, entry: string, content: Content): string => {
    const bytes = new TextEncoder().encode(document(outputs, icon, entry, content));
    const name = `page-${page}.html`;
    pages.push({ name, type: "text/html; charset=utf-8", bytes });
    return name;
  };
  const framed = (page: string, path: string, signedIn = true): string => {
    const { title, html } = prerender({ path, signedIn, reference });
    const reader = signedIn ? "" : ' data-reader="signed-out"';
    // Nothing in the page can be used before its program has rendered it, so screen readers must not announce it.
    const root = `<div id="root" data-first-page${reader} inert aria-hidden="true">${html}</div>`;
    const description = path === REFERENCE ? REFERENCE_DESCRIPTION : DESCRIPTION;
    const plain = path === REFERENCE ? plainReference(reference, NOWHERE) : NEEDS_SCRIPTS;
    const { later: name = "" } = PAGES.find((each) => each.path === path) ?? {};
    const chunks = path === OVERVIEW ? [] : name in rarePages ? [later, rare] : [later];
    return add(page, "main", { title, description, root, plain, chunks });
  };
  const outside = { title: "Plantstore", description: DESCRIPTION, root: '<div id="root"></div>' };
  const names: Pages<string> = {
    outside: add("outside", "outside", { ...outside, plain: NEEDS_SCRIPTS, chunks: [] }),
    reference: framed("reference", REFERENCE, false),
    framed: Object.fromEntries(PAGES.map(({ path }) => [path, framed(path.slice(1).replaceAll("/", "-"), path)])),
    other: framed("other", OTHER),
  };
  const guides = await guideFiles(root, operationsOf(reference), (title, root) =>
    document(outputs, icon, "guides", {
      title: `${title} · Plantstore`,
      description: `${title}: a guide to Plantstore.`,
      root,
      plain: "",
      chunks: [],
    }),
  );
  return { names, guides, outputs: [...pages, ...Object.values(guides)] };
}

interface Content {
  readonly title: string;
  readonly description: string;
  readonly root: string;
  /** Shown where scripts do not run. */
  readonly plain: string;
  /** The chunks that the page needs besides those that its entry imports. */
  readonly chunks: readonly string[];
}

/**
 * A document with the script that sets the theme before the first paint, the styles, and the program with every chunk
 * that it needs. The program has a low priority, since the first paint waits for the styles alone. Chunks that the
 * entry imports are scripts of their own, so that a slow device runs each as soon as it arrives and can respond to the
 * reader in between.
 */
function document(outputs: readonly Output[], icon: string, entry: string, content: Content): string {
  const program = required(outputs, entry, ".js");
  const shared = staticImports(outputs, program);
  const later = content.chunks.flatMap((name) => [...staticImports(outputs, name), name]);
  const preloaded = [...new Set(later)].filter((name) => name !== program && !shared.includes(name));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${content.description}">
<title>${content.title}</title>
<script src="${BASE}${required(outputs, "first-paint", ".js")}"></script>
<link rel="icon" href="${BASE}${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${BASE}${required(outputs, entry, ".css")}">
${shared.map((name) => `<script type="module" async src="${BASE}${name}" fetchpriority="low"></script>\n`).join("")}${preloaded.map((name) => `<link rel="modulepreload" href="${BASE}${name}" fetchpriority="low">\n`).join("")}</head>
<body>
<noscript>${content.plain}</noscript>
${content.root}
<script type="module" src="${BASE}${program}" fetchpriority="low"></script>
</body>
</html>
`;
}

export function required(outputs: readonly Output[], stem: string, extension: string): string {
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
