import { basename, dirname, join, posix } from "node:path";
import { type FoundGuide, GUIDES, GUIDES_PATH, GUIDES_TEXT, RECIPES } from "#contract/guides.ts";
import type { Output } from "./compress.ts";

/**
 * The guides by their addresses, made of the Markdown of `docs/`: each as a page, and as Markdown for programs. `document` makes the page of a
 * title and the HTML of its body.
 */
export async function guideFiles(
  root: string,
  document: (title: string, body: string) => string,
): Promise<Readonly<Record<string, Output>>> {
  const files: Record<string, Output> = {};
  const found: FoundGuide[] = [];
  const add = (address: string, type: string, text: string) => {
    const name = `guide-${address.slice(GUIDES_PATH.length + 1) || "index"}${address.includes(".") ? "" : ".html"}`;
    files[address] = { name, type, bytes: new TextEncoder().encode(text) };
  };
  for (const { name, title } of GUIDES) {
    const file = fileOf(name);
    const text = await Bun.file(join(root, file)).text();
    const html = Bun.markdown.html(linked(file, text, ""), { headings: { ids: true }, tagFilter: true });
    // The first is also where an address without a name leads.
    const addresses = [...(found.length === 0 ? [GUIDES_PATH] : []), `${GUIDES_PATH}/${name}`];
    for (const address of addresses) add(address, "text/html; charset=utf-8", document(title, body(name, html)));
    add(`${GUIDES_PATH}/${name}.md`, "text/markdown; charset=utf-8", linked(file, text, ".md"));
    found.push({ name, title, text });
  }
  add(GUIDES_TEXT, "application/json", JSON.stringify(found));
  return files;
}

function fileOf(name: string): string {
  return RECIPES.includes(name) ? `docs/recipes/${name}.md` : `docs/${name}.md`;
}

const LINK = /\[([^\]]*)\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g;

/**
 * Links to other guides lead to their addresses; of a link to anything else in the repository only its text stays. Where
 * that is a file's name, which says little to readers without the repository, the guide's title or the file's path replaces it.
 */
function linked(file: string, text: string, ending: "" | ".md"): string {
  return text.replace(LINK, (link, label, path, hash = "") => {
    if (path === "") return link;
    const isName = label === basename(path);
    const target = posix.join(dirname(file), path);
    const guide = GUIDES.find(({ name }) => target === fileOf(name));
    if (!guide) return isName ? `\`${target}\`` : label;
    return `[${isName ? guide.title : label}](${GUIDES_PATH}/${guide.name}${ending}${hash})`;
  });
}

function body(current: string, html: string): string {
  const links = GUIDES.map(({ name, title }) => {
    const here = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${GUIDES_PATH}/${name}"${here}>${title}</a></li>`;
  });
  return `<a class="skip" href="#guide">Skip to the guide</a>
<header><a class="home" href="/dashboard">Plantstore</a> <a href="/docs">API reference</a> <a href="/dashboard/developer/tokens?make=token" id="make-token" hidden>Create a token</a></header>
<div class="columns">
<nav aria-label="Guides">
<label for="search">Search guides and reference</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
<ul id="hits"></ul>
<ul id="guides">
${links.join("\n")}
</ul>
</nav>
<main id="guide" tabindex="-1">
${withNamedTables(html)}
<p class="source"><a href="${GUIDES_PATH}/${current}.md">This guide as Markdown</a></p>
</main>
</div>`;
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
