import type { Output } from "./compress.ts";
import type { Manifest } from "./manifest.ts";

const BASE = "/dashboard/assets/";
/** As the bundler writes a static import of a chunk. */
const STATIC_IMPORT = /(?:from|import)"\/dashboard\/assets\/([^"]+\.js)"/g;

/**
 * The tags of a page: the theme before the first paint, the styles, and the program with every chunk that it imports,
 * so that the browser asks for all of them together.
 */
export function pageParts(outputs: readonly Output[]): Pick<Manifest, "head" | "body" | "icon"> {
  const icon = required(outputs, "icon", ".svg");
  const main = required(outputs, "main", ".js");
  const head = [
    `<script src="${BASE}${required(outputs, "first-paint", ".js")}"></script>`,
    `<link rel="icon" href="${BASE}${icon}" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${BASE}${required(outputs, "main", ".css")}">`,
    ...staticImports(outputs, main).map((name) => `<link rel="modulepreload" href="${BASE}${name}">`),
  ];
  return { head: `${head.join("\n")}\n`, body: `<script type="module" src="${BASE}${main}"></script>\n`, icon };
}

function required(outputs: readonly Output[], stem: string, extension: string): string {
  const found = outputs.find(({ name }) => name.startsWith(`${stem}-`) && name.endsWith(extension));
  if (!found) throw new Error(`The bundle has no ${stem}*${extension}`);
  return found.name;
}

function staticImports(outputs: readonly Output[], main: string): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const source = new TextDecoder().decode(outputs.find((output) => output.name === name)?.bytes);
    for (const [, imported = ""] of source.matchAll(STATIC_IMPORT)) {
      if (found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(main);
  return [...found];
}
