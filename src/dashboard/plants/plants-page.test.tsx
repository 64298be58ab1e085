import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { plantPageText as pageOf, plantText as plant } from "#test/support/dashboard-records.ts";
import PlantsPage from "./plants-page.tsx";

const OVERVIEW = { plants: 12_345, creates_today: 0, errors_today: 0, active_tokens: 1, attention: [] };

test("an id that is searched for finds its plant, to the last digit, before those whose names hold it", async () => {
  const { findByRole, findByText } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /v1/plants": pageOf([]),
      "GET /v1/plants/9007199254740993": plant("9007199254740993", "Giant sequoia"),
    },
    path: "/dashboard/plants?q=9007199254740993",
  });
  await findByRole("button", { name: "Giant sequoia" });
  await findByText("1 of 12,345 plants matches");
});

test("how many there are is said, and tags of the whole account are suggested", async () => {
  const { container, findByText, waitFor } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /dashboard/api/plants/tags": { tags: ["outdoor", "endangered"] },
      "GET /v1/plants": pageOf([plant("1", "Fern", "indoor")]),
    },
    path: "/dashboard/plants",
  });
  await findByText("12,345 plants");
  await waitFor(() => {
    const options = [...container.querySelectorAll("datalist option")].map((option) => option.getAttribute("value"));
    expect(options).toEqual(["outdoor", "endangered"]);
  });
});

const MATCHES = "GET /dashboard/api/plants/matches";

for (const [said, matches] of [
  ["4,321 of 12,345 plants match", { count: 4321, at_least: false }],
  ["At least 10,000 of 12,345 plants match", { count: 10_000, at_least: true }],
  // Counting failed: the list alone tells.
  ["At least 2 of 12,345 plants match", refusal(50301)],
] as const) {
  test(`of a search it says: ${said}`, async () => {
    const { asked, findByText } = await renderComponent(<PlantsPage />, {
      answers: {
        "GET /dashboard/api/overview": OVERVIEW,
        "GET /v1/plants": pageOf([plant("1", "Fern 1"), plant("2", "Fern 2")], "more"),
        [MATCHES]: matches,
      },
      path: "/dashboard/plants?q=fern&tag=indoor",
    });
    await findByText(said);
    expect(asked.some(({ call }) => call === `${MATCHES}?q=fern&tag=indoor`)).toBe(true);
  });
}

test("while all that match are being removed, no further pages are fetched to hide them", async () => {
  const { user, asked, page, findByRole, findByText, queryByRole } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /v1/plants": ({ url }: { url: URL }) =>
        url.searchParams.get("limit") === "1000"
          ? pageOf([plant("1", "Fern 1"), plant("2", "Fern 2")])
          : pageOf([plant("1", "Fern 1")], "more"),
    },
    path: "/dashboard/plants?q=fern",
  });
  await user.click(await findByRole("checkbox", { name: "Select all loaded plants" }));
  await user.click(await findByRole("button", { name: "Select all that match" }));
  await findByText("2 plants selected");
  await user.click(await findByRole("button", { name: "Remove" }));
  await findByText("The plants that match are being removed.");
  expect(queryByRole("button", { name: "Show more" })).toBeNull();
  expect(asked.filter(({ call }) => call.includes("cursor=more"))).toEqual([]);
  page.removals.undo();
  await findByRole("button", { name: "Fern 1" });
});

test("what matches is selected with the plant whose id was searched for", async () => {
  const { user, page, findByRole, findByText } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /v1/plants": ({ url }: { url: URL }) =>
        url.searchParams.get("limit") === "1000"
          ? pageOf([plant("8", "Rose 77"), plant("9", "Fern 77")])
          : pageOf([plant("8", "Rose 77")], "more"),
      "GET /v1/plants/77": plant("77", "Giant sequoia"),
    },
    path: "/dashboard/plants?q=77",
  });
  await findByRole("button", { name: "Giant sequoia" });
  await user.click(await findByRole("checkbox", { name: "Select all loaded plants" }));
  await user.click(await findByRole("button", { name: "Select all that match" }));
  await findByText("3 plants selected");
  await user.click(await findByRole("button", { name: "Remove" }));
  expect(page.removals.current.get()?.ids).toEqual(["77", "8", "9"]);
  page.removals.undo();
});

test("all that match are selected, the loaded ones and the rest, and removed together", async () => {
  const removed: string[] = [];
  const { user, page, findByRole, findByText } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /v1/plants": ({ url }: { url: URL }) =>
        url.searchParams.get("cursor") === "more" || url.searchParams.get("limit") === "1000"
          ? pageOf([plant("1", "Fern 1"), plant("2", "Fern 2"), plant("3", "Fern 3")])
          : pageOf([plant("1", "Fern 1")], "never"),
      ...Object.fromEntries(
        ["1", "2", "3"].map((id) => [
          `DELETE /v1/plants/${id}`,
          () => {
            removed.push(id);
            return new Response(null, { status: 204 });
          },
        ]),
      ),
    },
    path: "/dashboard/plants?q=fern",
  });
  await findByRole("button", { name: "Fern 1" });
  await user.click(await findByRole("checkbox", { name: "Select all loaded plants" }));
  await user.click(await findByRole("button", { name: "Select all that match" }));
  await findByText("3 plants selected");
  await user.click(await findByRole("button", { name: "Remove" }));
  expect(page.removals.current.get()?.ids).toEqual(["1", "2", "3"]);
  expect(removed).toEqual([]);
  await page.removals.removeNow();
  expect(removed.sort()).toEqual(["1", "2", "3"]);
});

test("a click on the tag of a selected row filters by it, and does not unselect the row", async () => {
  const { user, findByRole } = await renderComponent(<PlantsPage />, {
    answers: { "GET /dashboard/api/overview": OVERVIEW, "GET /v1/plants": pageOf([plant("1", "Fern", "indoor")]) },
    path: "/dashboard/plants",
  });
  await user.click(await findByRole("checkbox", { name: "Select Fern" }));
  const [tag] = document.querySelectorAll(".tag");
  await user.click(tag as Element);
  expect(location.search).toBe("?tag=indoor");
  expect(await findByRole("checkbox", { name: "Select Fern" })).toHaveProperty("checked", true);
});

test("a long name and a long tag are cut to one line, and a click opens the plant", async () => {
  const name = "Chlorophytum comosum ".repeat(28).trim();
  const tag = "t".repeat(200);
  const { user, findByRole } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /v1/plants": pageOf([plant("1", name, tag)]),
      "GET /v1/plants/1": plant("1", name, tag),
    },
    path: "/dashboard/plants",
  });
  const row = await findByRole("button", { name });
  expect(row.classList.contains("cut")).toBe(true);
  const tags = [...document.querySelectorAll<HTMLElement>(".tag")];
  expect(tags.map(({ textContent }) => textContent)).toEqual([tag]);
  expect(tags.every((shown) => shown.closest(".cut") !== null)).toBe(true);
  await user.click(row);
  expect(location.search).toBe("?plant=1");
});
