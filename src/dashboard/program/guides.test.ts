import "#test/support/dom.ts";
import { afterAll, expect, spyOn, test } from "bun:test";
import { GUIDES_TEXT } from "#contract/guides.ts";
import { eventually } from "#test/support/eventually.ts";

document.body.innerHTML = `<a id="reader"></a><input id="search" type="search"><p id="found"></p><p id="copied"></p>
  <div id="contents"><section><li><a href="/docs/guides/webhooks">Events and webhooks</a></li></section>
  <section><li><a href="/docs#listPlants">List</a></li></section></div><pre><code>curl http://127.0.0.1:3000/v1/plants</code></pre>`;
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
const found = () =>
  [...document.querySelectorAll("section:not([hidden]) li:not([hidden])")].map((li) => li.textContent);

test("a search that cannot be loaded says so, and is loaded when one types on", async () => {
  fetched.mockRejectedValue(new TypeError("offline"));
  type("repl");
  await eventually("it is said", () => shown("found")?.startsWith("The search could not be loaded") === true);
  const guides = [{ name: "webhooks", title: "Events and webhooks", text: "Deliver again: replay" }];
  fetched.mockImplementation((async (address: string) =>
    Response.json(address === GUIDES_TEXT ? guides : { paths: {} })) as typeof fetch);
  type("replay");
  await eventually("it is found", () => found().join() === "Events and webhooks");
  expect(shown("found")).toBe("");
  type("cactus");
  await eventually("nothing is found", () => shown("found") === "No results for “cactus”");
  expect(found()).toEqual([]);
  type("");
  await eventually("all are shown again", () => found().length === 2);
});
