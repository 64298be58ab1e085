import { afterEach, expect, test } from "bun:test";
import { useQuery } from "@tanstack/react-query";
import { renderComponent } from "#test/support/component.tsx";
import { useService } from "../program/page-context.tsx";
import { TokenExpiryField } from "./token-expiry-field.tsx";

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** The field on a page whose service says that it is this time. */
async function opened(expiry: string, now = "2026-03-01T20:00:00Z") {
  const changes: object[] = [];
  const rendered = await renderComponent(
    <AtServiceTime expiry={expiry} onChange={(change) => changes.push(change)} />,
    {
      answers: { "GET /healthz": new Response("ok", { headers: { Date: new Date(now).toUTCString() } }) },
    },
  );
  return { ...rendered, changes };
}

function AtServiceTime({ expiry, onChange }: { readonly expiry: string; readonly onChange: (change: object) => void }) {
  const service = useService();
  const told = useQuery({ queryKey: ["time"], queryFn: async () => (await service.send("/healthz")).ok });
  return told.data ? <TokenExpiryField expiry={expiry} date="" onChange={onChange} /> : null;
}

test("a term is chosen from a list, and a date is asked for only where one is wanted", async () => {
  const { user, changes, findByLabelText, queryByLabelText } = await opened("90");
  await findByLabelText("Expires");
  expect(queryByLabelText(/^Last day/)).toBeNull();
  await user.selectOptions(await findByLabelText("Expires"), "Custom date");
  expect(changes).toEqual([{ expiry: "date" }]);
});

for (const [place, day] of [
  ["Pacific/Auckland", "2026-03-02"],
  ["America/Los_Angeles", "2026-03-01"],
  ["UTC", "2026-03-01"],
] as const) {
  test(`the first day that can be chosen is the reader's own, in ${place}`, async () => {
    process.env.TZ = place;
    const { findByLabelText } = await opened("date");
    expect((await findByLabelText(/^Last day/)).getAttribute("min")).toBe(day);
  });
}
