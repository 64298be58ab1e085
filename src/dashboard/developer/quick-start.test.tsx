import { expect, test } from "bun:test";
import { noAnswer, refusal, renderComponent, WhenSignedIn } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import DeveloperHome from "./developer-home.tsx";
import QuickStartPage from "./quick-start-page.tsx";

const FIRST = "GET /dashboard/api/first-request";
const NOTHING = { seen: false, plant: null, refused: null };
const PLANT = {
  id: "9007199254740993",
  name: "Monstera deliciosa",
  tag: "indoor",
  created_at: "2026-03-01T00:00:00.000Z",
};
const PATH = "/dashboard/developer/quick-start";

function renderQuickStart(first: unknown, answers: Record<string, unknown> = {}) {
  return renderComponent(
    <WhenSignedIn>
      <QuickStartPage />
    </WhenSignedIn>,
    { answers: { [FIRST]: first, "GET /dashboard/api/tokens": { tokens: [] }, ...answers }, path: PATH },
  );
}

test("the example is a whole request to this service, with a place for the token, in each language", async () => {
  const { user, findByText, findByRole } = await renderQuickStart(NOTHING);
  await findByText(/curl http:\/\/127\.0\.0\.1:3000\/v1\/plants/);
  await findByText(/Bearer YOUR_TOKEN/);
  for (const [language, text] of [
    ["TypeScript", /await fetch\("http:\/\/127\.0\.0\.1:3000\/v1\/plants"/],
    ["Python", /urllib\.request\.Request\(/],
  ] as const) {
    await user.click(await findByRole("tab", { name: language }));
    await findByText(text);
  }
});

test("the language that was chosen last is the one of the next page", async () => {
  const { user, findByRole, waitFor } = await renderQuickStart(NOTHING);
  await user.click(await findByRole("tab", { name: "Python" }));
  await waitFor(() => expect(localStorage.getItem("plantstore-language")).toContain("Python"));
});

test("a token that is created here is filled in, and copied with the example", async () => {
  const { user, findByLabelText, findByRole, findByText } = await renderQuickStart(NOTHING, {
    "POST /dashboard/api/tokens": { secret: "plant_made_here", token: tokenRecord() },
  });
  await user.click(await findByRole("button", { name: "Create token" }));
  await user.type(await findByLabelText(/^Name/), "Till{Enter}");
  await user.click(await findByRole("button", { name: "Copy the token" }));
  await user.click(await findByRole("button", { name: "Done" }));
  await findByText(/Bearer plant_made_here/);
  await user.click(await findByRole("button", { name: "Copy the example" }));
  expect(await navigator.clipboard.readText()).toContain("Bearer plant_made_here");
  await findByRole("heading", { name: /Create a token \(done\)/ });
});

test("the plant that arrives shows by itself, every digit of its id, and leads to the plants", async () => {
  let arrived = false;
  const { page, findByText, findByRole } = await renderQuickStart(() => ({
    ...NOTHING,
    plant: arrived ? PLANT : null,
  }));
  await findByText(/^Waiting for your first request/);
  arrived = true;
  await page.queries.refetchQueries({ queryKey: ["first-request"] });
  await findByText("9007199254740993");
  expect((await findByRole("link", { name: "Go to your plants" })).getAttribute("href")).toBe("/dashboard/plants");
  await findByRole("heading", { name: /See it arrive \(done\)/ });
});

test("a first request that is refused says with what and why, and goes on waiting", async () => {
  const { findByText } = await renderQuickStart({ ...NOTHING, refused: { error: 40003, count: 2 } });
  await findByText(/refused with 40003: .+/);
  await findByText(/^Waiting for your first request/);
});

test("the base address is there to copy, with the versions and the reference", async () => {
  const { user, findByRole } = await renderQuickStart(NOTHING);
  await user.click(await findByRole("button", { name: "Copy the base address" }));
  expect(await navigator.clipboard.readText()).toBe("http://127.0.0.1:3000/v1");
  expect((await findByRole("link", { name: "openapi.json" })).getAttribute("href")).toBe("/openapi.json");
});

test("a question that is refused says why, and can be asked again", async () => {
  let away = true;
  const { user, findByRole, findByText } = await renderQuickStart(() =>
    away ? refusal(50301, "The storage is away") : NOTHING,
  );
  await findByText("The storage is away");
  away = false;
  await user.click(await findByRole("button", { name: "Try again" }));
  await findByText(/^Waiting for your first request/);
});

for (const [what, path, seen, to] of [
  ["the quick start before a first request", "/dashboard/developer", false, PATH],
  ["the tokens after it", "/dashboard/developer", true, "/dashboard/developer/tokens"],
  ["the form of an older link", "/dashboard/developer?make=token", false, "/dashboard/developer/tokens?make=token"],
  ["the token of an older link", "/dashboard/developer?token=tok_1", false, "/dashboard/developer/tokens?token=tok_1"],
] as const) {
  test(`Developer opens ${what}`, async () => {
    const { waitFor } = await renderComponent(<DeveloperHome />, { answers: { [FIRST]: { ...NOTHING, seen } }, path });
    await waitFor(() => expect(location.pathname + location.search).toBe(to));
  });
}

test("Developer comes by itself after an outage", async () => {
  let gone = true;
  const { page, waitFor } = await renderComponent(<DeveloperHome />, {
    answers: {
      [FIRST]: () => (gone ? noAnswer() : { ...NOTHING, seen: true }),
      "GET /healthz": () => (gone ? noAnswer() : "ok"),
    },
    path: "/dashboard/developer",
  });
  await waitFor(() => expect(page.service.connection.lost.get()).toBe(true));
  gone = false;
  await page.service.connection.retryNow();
  await waitFor(() => expect(location.pathname).toBe("/dashboard/developer/tokens"));
});
