import "#test/support/dom.ts";
import { afterAll, expect, spyOn, test } from "bun:test";
import { GUIDES_TEXT } from "#contract/guides.ts";
import { eventually } from "#test/support/eventually.ts";

document.body.innerHTML = `<a id="make-token" hidden></a><input id="search" type="search"><p id="found"></p>
  <ul id="hits"></ul><ul id="guides"></ul><pre><code>curl http://127.0.0.1:3000/v1/plants</code></pre>`;
await import("./guides.ts");

const fetched = spyOn(globalThis, "fetch");
afterAll(() => {
  fetched.mockRestore();
  document.body.innerHTML = "";
});

function type(words: string): void {
  const search = document.querySelector("input") as HTMLInputElement;
  search.value = words;
  search.dispatchEvent(new Event("input"));
}
const shown = (id: string) => document.getElementById(id)?.textContent;

test("a search that cannot be loaded says so, and is loaded when one types on", async () => {
  fetched.mockRejectedValue(new TypeError("offline"));
  type("repl");
  await eventually("it is said", () => shown("found")?.startsWith("The search could not be loaded") === true);
  const guides = [{ name: "webhooks", title: "Events and webhooks", text: "Deliver again: replay" }];
  fetched.mockImplementation((async (address: string) =>
    Response.json(address === GUIDES_TEXT ? guides : { paths: {} })) as typeof fetch);
  type("replay");
  await eventually("it is found", () => shown("hits") === "Events and webhooks");
  expect(shown("found")).toBe("");
  type("cactus");
  await eventually("nothing is found", () => shown("found") === "No results for “cactus”");
});
