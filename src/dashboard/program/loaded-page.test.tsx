import { afterEach, beforeEach, expect, test } from "bun:test";
import { noAnswer, renderComponent } from "#test/support/component.tsx";
import { LoadedPage } from "./loaded-page.tsx";

const PATH = "/dashboard/developer/tokens";
const PROGRAM = "/dashboard/assets/main-1.js";
const documentOf = (program: string) => `<!doctype html><script type="module" src="${program}"></script>`;

/** The program that the document of this tab was made with. */
beforeEach(() => {
  const script = document.createElement("script");
  script.type = "module";
  script.setAttribute("src", PROGRAM);
  document.head.append(script);
});
afterEach(() => {
  for (const script of document.querySelectorAll("script[type=module]")) script.remove();
});

const whole = () => import("./later-pages.ts");
const missing = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

function renderLater(load: typeof whole, answers: Record<string, unknown>) {
  return renderComponent(<LoadedPage name="UnknownPage" load={load} />, { answers, path: PATH });
}

test("an update of the service is said as one, and its button loads the new version", async () => {
  const { user, left, findByRole, queryByText } = await renderLater(missing, {
    "GET /healthz": "ok",
    [`GET ${PATH}`]: documentOf("/dashboard/assets/main-2.js"),
  });
  await findByRole("heading", { name: "Plantstore was updated" });
  expect(queryByText(/does not answer/)).toBeNull();
  expect(left).toEqual([]);
  await user.click(await findByRole("button", { name: "Load the new version" }));
  expect(left).toEqual([`http://127.0.0.1:3000${PATH}`]);
});

const badGateway = () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 });

for (const [what, health, page] of [
  ["an outage", noAnswer, noAnswer],
  ["a service that goes away between its two answers", () => "ok", noAnswer],
  ["a proxy that answers for a service which is away", badGateway, badGateway],
] as const) {
  test(`${what} is not said to be an update, and the page opens by itself when it is over`, async () => {
    let gone = true;
    const rendered = await renderLater(() => (gone ? missing() : whole()), {
      "GET /healthz": () => (gone ? health() : "ok"),
      [`GET ${PATH}`]: () => (gone ? page() : documentOf(PROGRAM)),
    });
    await rendered.findByText(/does not answer/);
    expect(rendered.queryByText(/updated/)).toBeNull();
    gone = false;
    await rendered.page.service.connection.retryNow();
    await rendered.findByRole("heading", { name: "Page not found" });
    expect(rendered.left).toEqual([]);
  });
}

test("a program that was missed in an outage is fetched by one reload, and not by a second one soon after", async () => {
  const { left, page, findByRole, queryByText, waitFor } = await renderLater(missing, {
    "GET /healthz": "ok",
    [`GET ${PATH}`]: documentOf(PROGRAM),
  });
  await findByRole("button", { name: "Load the page again" });
  await waitFor(() => expect(left).toHaveLength(1));
  await page.queries.refetchQueries();
  expect(left).toHaveLength(1);
  expect(queryByText(/updated/)).toBeNull();
});
