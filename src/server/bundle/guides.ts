import { basename, dirname, join, posix } from "node:path";
import { type FoundGuide, GUIDES, GUIDES_PATH, GUIDES_TEXT, LINKED_FILES, RECIPES } from "#contract/guides.ts";
import type { Operation } from "#dashboard/reference/openapi.ts";
import type { Output } from "./compress.ts";

/**
 * The guides by their addresses, made of the Markdown of `docs/`: each as a page, and as Markdown for programs. Every file of the
 * repository that one of them links to is served too, a document as a page. Beside a guide stand all guides and operations;
 * `document` makes the page of a title and the HTML of its body.
 */
export async function guideFiles(
  root: string,
  operations: readonly Operation[],
  document: (title: string, body: string) => string,
): Promise<Readonly<Record<string, Output>>> {
  const files: Record<string, Output> = {};
  const found: FoundGuide[] = [];
  const add = (address: string, type: string, content: string | Uint8Array<ArrayBuffer>) => {
    const place = address.slice(GUIDES_PATH.length + 1).replaceAll("/", "-");
    const name = `guide-${place || "index"}${address.includes(".") ? "" : ".html"}`;
    files[address] = { name, type, bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
  };
  // The set grows while it is walked.
  const paths = new Set(GUIDES.map(({ name }) => fileOf(name)));
  for (const path of paths) {
    const address = addressOf(path);
    if (path.endsWith(".png")) {
      add(address, "image/png", await Bun.file(join(root, path)).bytes());
      continue;
    }
    const text = await Bun.file(join(root, path)).text();
    if (!path.endsWith(".md")) {
      add(address, "text/plain; charset=utf-8", text);
      continue;
    }
    for (const target of linkedFiles(path, text)) paths.add(target);
    const guide = GUIDES.find(({ name }) => path === fileOf(name));
    const title = guide?.title ?? /^# (.*)/m.exec(text)?.[1] ?? path;
    const html = Bun.markdown.html(linked(path, text, ""), { headings: { ids: true }, tagFilter: true });
    // The first is also where an address without a name leads.
    const addresses = Object.keys(files).length === 0 ? [GUIDES_PATH, address] : [address];
    for (const each of addresses)
      add(each, "text/html; charset=utf-8", document(title, body(address, html, operations)));
    add(`${address}.md`, "text/markdown; charset=utf-8", linked(path, text, ".md"));
    if (guide) found.push({ ...guide, text });
  }
  add(GUIDES_TEXT, "application/json", JSON.stringify(found));
  return files;
}

function fileOf(name: string): string {
  return RECIPES.includes(name) ? `docs/recipes/${name}.md` : `docs/${name}.md`;
}

/** The address of a file of the repository, of a document without its ending. */
function addressOf(file: string): string {
  const guide = GUIDES.find(({ name }) => file === fileOf(name));
  return guide ? `${GUIDES_PATH}/${guide.name}` : LINKED_FILES + file.replace(/\.md$/, "");
}

const LINK = /\[([^\]]*)\]\((?!https?:|\/)([^)#]*)(#[^)]*)?\)/g;

function linkedFiles(file: string, text: string): string[] {
  const targets = [...text.matchAll(LINK)].map(([, , path = ""]) => path).filter(Boolean);
  return targets.map((path) => posix.join(dirname(file), path));
}

/**
 * The text with links to the addresses of the files. A label that is a file's name says little to readers without the
 * repository: the guide's title or the file's path replaces it.
 */
function linked(file: string, text: string, ending: "" | ".md"): string {
  return text.replace(LINK, (link, label, path, hash = "") => {
    if (path === "") return link;
    const target = posix.join(dirname(file), path);
    const shown = GUIDES.find(({ name }) => target === fileOf(name))?.title ?? `\`${target}\``;
    const address = addressOf(target) + (target.endsWith(".md") ? ending : "");
    return `[${label === basename(path) ? shown : label}](${address}${hash})`;
  });
}

const SEARCH_ICON =
  '<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true"><path d="M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13M15.5 15.5L21 21"/></svg>';

function body(current: string, html: string, operations: readonly Operation[]): string {
  return `<a class="skip" href="#guide">Skip to the guide</a>
<header>
<a class="home" href="/dashboard"><span class="brand-icon"></span>Plantstore</a>
<a class="button" id="reader" href="/dashboard/sign-in?back=${encodeURIComponent(current)}">Sign in</a>
</header>
<div class="columns">
<nav aria-label="Guides and operations">
<div class="search">${SEARCH_ICON}<input id="search" type="search" aria-label="Search guides and reference" placeholder="Search guides and reference" autocomplete="off" spellcheck="false"></div>
<p id="found" role="status"></p>
<p id="copied" role="status"></p>
<div id="contents">
${contents(current, operations)}
</div>
</nav>
<main id="guide" tabindex="-1">
${withNamedTables(html)}
<p class="source"><a href="${current}.md">This guide as Markdown</a></p>
</main>
</div>`;
}

interface ListedLink {
  readonly href: string;
  readonly title: string;
  /** Empty for a guide. */
  readonly method: string;
}

/** The guides and the operations, as the reference lists them. */
function contents(current: string, operations: readonly Operation[]): string {
  const guides: ListedLink[] = GUIDES.map(({ name, title }) => ({ href: `${GUIDES_PATH}/${name}`, title, method: "" }));
  const groups = new Map([["Guides", guides]]);
  for (const { tags, operationId, summary, method } of operations) {
    const [tag = ""] = tags;
    groups.set(tag, [...(groups.get(tag) ?? []), { href: `/docs#${operationId}`, title: summary, method }]);
  }
  const link = ({ href, title, method }: ListedLink) => {
    const here = href === current ? ' aria-current="page"' : "";
    const badge = method === "" ? "" : ` <span class="method" data-method="${method}">${method}</span>`;
    return `<li><a href="${href}"${here}>${Bun.escapeHTML(title)}${badge}</a></li>`;
  };
  return [...groups]
    .map(([title, links]) => `<section><h2>${title}</h2><ul>\n${links.map(link).join("\n")}\n</ul></section>`)
    .join("\n");
}

/** Code stays as it is where the browser translates the guide. */
function untranslated(html: string): string {
  return html.replace(/<(code|pre)\b/g, '<$1 translate="no"');
}

const TABLE = /<table>(\s*<thead>\s*<tr>(.*?)<\/tr>[\s\S]*?)<\/table>/g;

/** A wide table is scrolled by itself; its columns are its name. */
function withNamedTables(html: string): string {
  return untranslated(html).replace(TABLE, (_, content, head: string) => {
    const columns = [...head.matchAll(/<th[^>]*>(.*?)<\/th>/g)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, ""));
    const name = columns.filter(Boolean).join(", ");
    return `<div class="table" role="region" aria-label="${name}" tabindex="0"><table aria-label="${name}">${content}</table></div>`;
  });
}
