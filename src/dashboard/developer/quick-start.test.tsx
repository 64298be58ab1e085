import { expect, test } from "bun:test";
import { renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import { usePage } from "../program/page-context.tsx";
import DeveloperHome, { QuickStartPage } from "./developer-home.tsx";

const FIRST = "GET /dashboard/api/first-request";
const HOME = "/dashboard/developer";
const NOTHING = { seen: false, requested: false, plant: null, refused: null };

function renderQuickStart(first: unknown, answers: Record<string, unknown> = {}) {
  return renderComponent(
    <WhenSignedIn>
      <QuickStartPage />
    </WhenSignedIn>,
    {
      answers: { [FIRST]: first, "GET /dashboard/api/tokens": { tokens: [] }, ...answers },
      path: `${HOME}/quick-start`,
    },
  );
}

test("a first request that is refused says with what and why, and goes on waiting", async () => {
  const { findByText } = await renderQuickStart({ ...NOTHING, refused: { error: 40901, count: 2 } });
  await findByText(/A request arrived, and was refused with 40901: the id is taken by a different plant\./);
  await findByText(/^Waiting for your first request/);
});

test("the example has the id that Add plant would suggest, so that later ones go on from it", async () => {
  const { findByText } = await renderQuickStart(
    { ...NOTHING, seen: true },
    { "GET /dashboard/api/plants/next-id": { id: "20022" } },
  );
  await findByText(/"id": 20022, "name"/);
});

test("the base address is the one that the service says, to copy, with the versions, the reference and the document", async () => {
  const { user, findByText, findByRole } = await renderQuickStart(NOTHING, {
    "GET /dashboard/api/session": {
      ...SESSION,
      base_url: "https://plants.example",
      versions: { service: "1.4.0", interface: "2.1.0", segment: "v2" },
    },
  });
  await findByText("2.1.0, at /v2");
  await findByText("version 1.4.0");
  await user.click(await findByRole("button", { name: "Copy the base address" }));
  expect(await navigator.clipboard.readText()).toBe("https://plants.example/v2");
  const href = async (name: string) => (await findByRole("link", { name })).getAttribute("href");
  expect([await href("Every request, answer and error"), await href("openapi.json")]).toEqual([
    "/docs",
    "/openapi.json",
  ]);
});

for (const [what, search, requested, to] of [
  ["the quick start before a first request", "", false, "/quick-start"],
  ["its overview after it", "", true, "/overview"],
  ["the form of an older link", "?make=token", false, "/tokens?make=token"],
  ["the token of an older link", "?token=tok_1", false, "/tokens?token=tok_1"],
  ["the quick start of an older link", "?quick-start=shown", true, "/quick-start"],
] as const) {
  test(`Developer opens ${what}`, async () => {
    const answers = { [FIRST]: { ...NOTHING, seen: true, requested } };
    const { waitFor } = await renderComponent(<DeveloperHome />, { answers, path: HOME + search, route: HOME });
    await waitFor(() => expect(location.pathname + location.search).toBe(HOME + to));
  });
}

test("Developer opens its overview though an answer from before knew of no request", async () => {
  function AfterThatAnswer() {
    usePage().queries.setQueryData(["first-request"], NOTHING);
    return <DeveloperHome />;
  }
  const answers = { [FIRST]: { ...NOTHING, seen: true, requested: true } };
  const { waitFor } = await renderComponent(<AfterThatAnswer />, { answers, path: HOME, route: HOME });
  await waitFor(() => expect(location.pathname).not.toBe(HOME));
  expect(location.pathname).toBe(`${HOME}/overview`);
});
