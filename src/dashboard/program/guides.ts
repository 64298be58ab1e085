import type { SessionView } from "#contract/dashboard/session.ts";
import { EXAMPLE_ADDRESS, type FoundGuide, GUIDES_PATH, GUIDES_TEXT, showsOwnAddress } from "#contract/guides.ts";
import { copyText } from "../browser/clipboard.ts";
import { type OpenApiDocument, operationsOf } from "../reference/openapi.ts";
import { mayHaveSession } from "../session/session-hint.ts";
import { hasWords } from "../text/has-words.ts";
import "./guides.css";

/** The program of the guides: the service's own address in their examples, copying, and the search. */
const element = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const search = element<HTMLInputElement>("search");

const ICONS = {
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  done: "M5 12.5l4.5 4.5L19 7.5",
  failed: "M12 4l9 16H3zM12 10v4.5",
};

if (mayHaveSession()) void nameReader();
for (const block of document.querySelectorAll<HTMLElement>("pre")) prepare(block);
search.addEventListener("input", () => void look());

/** Who is signed in finds their name where others find the sign-in. */
async function nameReader(): Promise<void> {
  const answer = await fetch("/dashboard/api/session").catch(() => undefined);
  if (!answer?.ok) return;
  const { account }: SessionView = await answer.json();
  const link = element<HTMLAnchorElement>("reader");
  link.href = "/dashboard";
  link.textContent = account.name;
  link.translate = false;
}

function prepare(block: HTMLElement): void {
  const code = block.querySelector("code");
  if (!code) return;
  if (showsOwnAddress(location.pathname))
    code.textContent = code.textContent.replaceAll(EXAMPLE_ADDRESS, location.origin);
  block.tabIndex = 0;
  const [example, copy] = [document.createElement("div"), document.createElement("button")];
  const show = (icon: keyof typeof ICONS) => {
    copy.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  };
  copy.type = "button";
  copy.ariaLabel = "Copy the example";
  show("copy");
  copy.addEventListener("click", async () => {
    const done = await copyText(code.textContent);
    show(done ? "done" : "failed");
    element("copied").textContent = done
      ? "Copied"
      : "The browser did not allow it. Select the text and copy it yourself.";
    setTimeout(() => {
      show("copy");
      element("copied").textContent = "";
    }, 2500);
  });
  example.className = "example";
  block.replaceWith(example);
  example.append(block, copy);
}

let loaded: Promise<readonly Hit[]> | undefined;

interface Hit {
  readonly href: string;
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
    ...guides.map(({ name, title, text }) => ({ href: `${GUIDES_PATH}/${name}`, text: `${title} ${text}` })),
    ...operationsOf(reference).map(({ operationId, method, path, summary, description = "" }) => ({
      href: `/docs#${operationId}`,
      text: [operationId, method, path, summary, description].join(" "),
    })),
  ];
}

/** Leaves of the contents what has the words. */
async function look(): Promise<void> {
  const words = search.value.trim();
  loaded ??= load();
  const all = words === "" ? [] : await loaded.catch(unavailable);
  if (words !== search.value.trim()) return;
  const matching = new Set(all?.filter(({ text }) => hasWords(text, words)).map(({ href }) => href));
  const isShown = (link: HTMLAnchorElement) => words === "" || matching.has(link.getAttribute("href") ?? "");
  for (const section of document.querySelectorAll<HTMLElement>("#contents section")) {
    const links = [...section.querySelectorAll("a")];
    for (const link of links) link.parentElement?.toggleAttribute("hidden", !isShown(link));
    section.hidden = !links.some(isShown);
  }
  element("found").textContent = words === "" ? "" : remarkOn(all && matching.size, words);
}

function remarkOn(count: number | undefined, words: string): string {
  if (count === undefined) return "The search could not be loaded. Type on to try again.";
  return count === 0 ? `No results for “${words}”` : "";
}

function unavailable(): undefined {
  loaded = undefined;
}
