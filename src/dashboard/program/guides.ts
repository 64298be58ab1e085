import { EXAMPLE_ADDRESS, type FoundGuide, GUIDES_PATH, GUIDES_TEXT, showsOwnAddress } from "#contract/guides.ts";
import { type OpenApiDocument, operationsOf } from "../reference/openapi.ts";
import { mayHaveSession } from "../session/session-hint.ts";
import { hasWords } from "../text/has-words.ts";
import "./guides.css";

/** The program of the guides: the service's own address in their examples, copying, and the search. */
const SHOWN_MAX = 30;

const element = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const search = element<HTMLInputElement>("search");
const hits = element("hits");

if (mayHaveSession()) element("make-token").hidden = false;
for (const block of document.querySelectorAll<HTMLElement>("pre")) prepare(block);
search.addEventListener("input", () => void look());

function prepare(block: HTMLElement): void {
  const code = block.querySelector("code");
  if (!code) return;
  if (showsOwnAddress(location.pathname))
    code.textContent = code.textContent.replaceAll(EXAMPLE_ADDRESS, location.origin);
  block.tabIndex = 0;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
  block.before(copy);
}

let loaded: Promise<readonly Hit[]> | undefined;

interface Hit {
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

/** Everything that can be found, asked for at the first search. */
async function load(): Promise<readonly Hit[]> {
  const read = async <Body>(address: string): Promise<Body> => (await fetch(address)).json();
  const [guides, reference] = await Promise.all([
    read<readonly FoundGuide[]>(GUIDES_TEXT),
    read<OpenApiDocument>("/openapi.json"),
  ]);
  return [
    ...guides.map(({ name, title, text }) => ({ href: `${GUIDES_PATH}/${name}`, title, text: `${title} ${text}` })),
    ...operationsOf(reference).map(({ operationId, method, path, summary, description = "" }) => ({
      href: `/docs#${operationId}`,
      title: summary,
      text: [operationId, method, path, summary, description].join(" "),
    })),
  ];
}

async function look(): Promise<void> {
  const words = search.value.trim();
  element("guides").hidden = words !== "";
  loaded ??= load();
  const all = await loaded.catch(unavailable);
  if (words !== search.value.trim()) return;
  const matching = words === "" ? [] : all?.filter(({ text }) => hasWords(text, words));
  hits.replaceChildren(...(matching ?? []).slice(0, SHOWN_MAX).map(row));
  element("found").textContent = words === "" ? "" : remarkOn(matching, words);
}

function remarkOn(matching: readonly Hit[] | undefined, words: string): string {
  if (!matching) return "The search could not be loaded. Type on to try again.";
  return matching.length === 0 ? `No results for “${words}”` : "";
}

function unavailable(): undefined {
  loaded = undefined;
}

function row({ href, title }: Hit): HTMLLIElement {
  const [item, link] = [document.createElement("li"), document.createElement("a")];
  link.href = href;
  link.textContent = title;
  item.append(link);
  return item;
}
