import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { PlantElsewhere } from "./plant-elsewhere.tsx";

test("an id that is unknown here and known in another store of the reader offers that store", async () => {
  const stores = [...SESSION.stores, { id: "acc_2", name: "Blattwerk", role: "editor", test: false } as const];
  const asked: (string | null)[] = [];
  const { findByText, findByRole } = await renderComponent(<PlantElsewhere id={100918n} />, {
    known: { ...SESSION, stores },
    answers: {
      "GET /dashboard/api/v1/plants/100918": ({ headers }: { readonly headers: Headers }) => {
        asked.push(headers.get("Plantstore-Account"));
        return headers.get("Plantstore-Account") === "acc_2" ? { id: 100918, name: "Rose" } : refusal(40403);
      },
    },
  });
  await findByText(/another store of yours, has a plant with this id/);
  const link = await findByRole("link", { name: "Show it there" });
  expect([link.getAttribute("href"), asked]).toEqual(["/dashboard/plants/100918?store=acc_2", ["acc_2"]]);
});
