import { expect, test } from "bun:test";
import { held, renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import { PUBLISHED } from "#test/support/published-document.ts";
import ReferencePage from "./reference-page.tsx";

const DOCUMENT = "GET /openapi.json";
/** The published document with a few of its operations: all of them take long to render. */
const PATHS = ["/v1/plants/{id}", "/v1/plants/export", "/healthz"];
const TYPES = ["plant.created"];
const document = JSON.stringify(PUBLISHED, (key, value) => {
  const kept = { paths: PATHS, webhooks: TYPES }[key];
  return kept ? Object.fromEntries(kept.map((name) => [name, value[name]])) : value;
});

function renderReference(answers: Record<string, unknown> = {}, path = "/docs") {
  return renderComponent(<ReferencePage />, { answers: { [DOCUMENT]: document, ...answers }, path });
}

test("every operation of the published document has a link at once and is rendered one after the other, without a session", async () => {
  const { calls, container, findByLabelText, getByText, waitFor } = await renderReference();
  const contents = await findByLabelText("Guides and operations");
  const links = [...contents.querySelectorAll("a.contents-link[href^='#']")].map(
    (link) => link.getAttribute("href") ?? "",
  );
  const ids = Object.values({ ...JSON.parse(document).paths, ...JSON.parse(document).webhooks }).flatMap((item) =>
    Object.values(item as object).flatMap((operation) => (operation.operationId ? [`#${operation.operationId}`] : [])),
  );
  expect(links.sort()).toEqual(ids.sort());
  expect(container.querySelectorAll(".operation").length).toBeLessThan(ids.length);
  for (const id of links) {
    await waitFor(() => expect(globalThis.document.getElementById(id.slice(1))?.tagName).toBe("SECTION"));
  }
  expect(calls()).toEqual([DOCUMENT]);
  expect(getByText("openapi.json").getAttribute("href")).toBe("/openapi.json");
});

test("the search leaves the operations that hold every word, and says when there are none", async () => {
  const { user, container, findByLabelText, findByText, waitFor } = await renderReference();
  const field = await findByLabelText("Search guides and reference");
  const linked = () => [...container.querySelectorAll(".contents-link")].map((link) => link.getAttribute("href"));
  const all = linked();
  await user.type(field, "remove");
  await waitFor(() => expect(linked()).toEqual(["#removePlant"]));
  await user.type(field, "x");
  await findByText("No operation has “removex”");
  await user.type(field, "{Backspace}".repeat("removex".length));
  await waitFor(() => expect(linked()).toEqual(all));
});

for (const hash of ["#error-40901", "#removePlant", "#tag-errors"]) {
  test(`a deep link to ${hash} goes there once the document has come`, async () => {
    const seen: string[] = [];
    Reflect.set(HTMLElement.prototype, "scrollIntoView", function (this: HTMLElement) {
      seen.push(`#${this.id}`);
    });
    const slow = held(document);
    const { waitFor } = await renderReference({ [DOCUMENT]: slow.answer }, `/docs${hash}`);
    expect(seen).toEqual([]);
    slow.release();
    await waitFor(() => expect(seen).toEqual([hash]));
  });
}

test("a mistyped deep link leaves the page as it is", async () => {
  const { findByLabelText } = await renderReference({}, "/docs#100%");
  await findByLabelText("Guides and operations");
});

test("who is signed in needs no token to send: the request goes by the session", async () => {
  const { user, findByLabelText, findByText, calls, waitFor } = await renderComponent(
    <WhenSignedIn>
      <ReferencePage />
    </WhenSignedIn>,
    {
      answers: {
        "GET /dashboard/api/session": SESSION,
        [DOCUMENT]: document,
        "GET /dashboard/api/v1/plants/export": () => new Response("{}", { headers: { "Request-Id": "req_1" } }),
      },
      path: "/docs",
    },
  );
  await findByLabelText("Search guides and reference");
  await waitFor(() => expect(globalThis.document.getElementById("exportPlants") === null).toBe(false));
  const section = globalThis.document.getElementById("exportPlants") as HTMLElement;
  const button = (name: RegExp) =>
    [...section.querySelectorAll("button")].find(({ textContent }) => name.test(textContent ?? "")) as HTMLElement;
  await user.click(button(/^Try it/));
  await user.click(button(/^Send/));
  await findByText("200", { selector: "[role=status] *" });
  expect((await findByText("Show the request")).getAttribute("href")).toBe("/dashboard/developer/requests/req_1");
  expect(calls().filter((call) => call.endsWith("/export"))).toEqual(["GET /dashboard/api/v1/plants/export"]);
});
