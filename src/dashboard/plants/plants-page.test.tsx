import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import PlantsPage from "./plants-page.tsx";

const OVERVIEW = { plants: 12_345, creates_today: 0, errors_today: 0, active_tokens: 1, attention: [] };

function plant(id: string, name: string, tag?: string, at = "2026-03-01T00:00:00.000Z"): string {
  return JSON.stringify({ id: 0, name, tag, created_at: at, updated_at: at }).replace('"id":0', `"id":${id}`);
}

function pageOf(plants: readonly string[], next: string | null = null): string {
  return `{"data":[${plants.join(",")}],"next_cursor":${JSON.stringify(next)}}`;
}

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
  await findByText("1 match of 12,345 plants");
});

test("how many there are is said, and tags that are shown are suggested", async () => {
  const { container, findByText } = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /v1/plants": pageOf([
        plant("1", "Fern", "indoor"),
        plant("2", "Rose", "outdoor"),
        plant("3", "Ivy", "indoor"),
      ]),
    },
    path: "/dashboard/plants",
  });
  await findByText("12,345 plants");
  const options = [...container.querySelectorAll("datalist option")].map((option) => option.getAttribute("value"));
  expect(options).toEqual(["indoor", "outdoor"]);
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

test("a long name and a long tag are cut to one line, with the full text on hover, and a click opens the plant", async () => {
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
  expect([row.title, row.classList.contains("cut")]).toEqual([name, true]);
  const tags = [...document.querySelectorAll<HTMLElement>(".tag")];
  expect(tags.map(({ title }) => title)).toEqual([tag, tag]);
  expect(tags.every((shown) => shown.closest(".cut") !== null)).toBe(true);
  await user.click(row);
  expect(location.search).toBe("?plant=1");
});
