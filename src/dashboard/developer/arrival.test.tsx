import { expect, test } from "bun:test";
import type { FirstRequest } from "#contract/dashboard/overview.ts";
import { renderComponent } from "#test/support/component.tsx";
import { Arrival } from "./arrival.tsx";

const AT = "2026-03-01T00:00:00.000Z";
const WAITING: FirstRequest = { seen: false, plant: null, refused: null };

const shown = (arrived: FirstRequest | undefined) => renderComponent(<Arrival arrived={arrived} />);

for (const [when, arrived] of [
  ["before the first answer", undefined],
  ["until a plant has come", WAITING],
] as const) {
  test(`${when} it waits, which is heard once and not turned into noise`, async () => {
    const { findByText, container } = await shown(arrived);
    expect((await findByText("Waiting for your first request…")).closest("[role=status]")).not.toBeNull();
    expect(container.querySelector(".mantine-Loader-root")?.getAttribute("aria-hidden")).toBe("true");
  });
}

test("a plant that has come takes the place of the waiting, with every digit of its id", async () => {
  const plant = { id: "9007199254740993", name: "Monstera", tag: "indoor", created_at: AT };
  const { findByText, queryByText } = await shown({ ...WAITING, seen: true, plant });
  await findByText("Your plant arrived");
  await findByText("9007199254740993");
  await findByText("indoor");
  expect(queryByText(/Waiting/)).toBeNull();
});

test("a plant without a tag has no row for one", async () => {
  const { findByText, queryByText } = await shown({
    ...WAITING,
    seen: true,
    plant: { id: "1", name: "Fern", created_at: AT },
  });
  await findByText("Fern");
  expect(queryByText("Tag")).toBeNull();
});

test("a request that was refused says why, and it goes on waiting", async () => {
  const { findByText } = await shown({ ...WAITING, refused: { error: 40901, count: 1 } });
  await findByText(/A request arrived, and was refused with 40901: the id is taken by a different plant\./);
  await findByText(/Waiting for your first request/);
});
