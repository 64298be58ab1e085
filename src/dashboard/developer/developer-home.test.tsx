import { expect, test } from "bun:test";
import { held, refusal, renderComponent } from "#test/support/component.tsx";
import DeveloperHome from "./developer-home.tsx";

const SEEN = "GET /dashboard/api/first-request";
const HOME = "/dashboard/developer";

const opened = (answer: unknown, path = HOME) =>
  renderComponent(<DeveloperHome />, { answers: { [SEEN]: answer }, path, route: HOME });

const seen = (yes: boolean) => ({ seen: yes, plant: null, refused: null });

test("an account that nothing was sent to yet comes to the quick start", async () => {
  const { waitFor } = await opened(seen(false));
  await waitFor(() => expect(location.pathname).toBe(`${HOME}/quick-start`));
});

test("one that uses the API already comes to its tokens", async () => {
  const { waitFor } = await opened(seen(true));
  await waitFor(() => expect(location.pathname).toBe(`${HOME}/tokens`));
});

for (const [search, to] of [
  ["?make=token", `${HOME}/tokens?make=token`],
  ["?token=tok_1", `${HOME}/tokens?token=tok_1`],
  ["?quick-start=shown", `${HOME}/quick-start`],
] as const) {
  test(`an address from before the sub-pages, ${search}, still leads to what it named`, async () => {
    const { waitFor } = await opened(held(seen(true)).answer, HOME + search);
    await waitFor(() => expect(location.pathname + location.search).toBe(to));
  });
}

test("a refusal says why and can be asked again", async () => {
  let away = true;
  const { user, findByRole, findByText, waitFor } = await opened(() =>
    away ? refusal(50301, "The storage is away") : seen(true),
  );
  await findByText("The storage is away");
  expect(location.pathname).toBe(HOME);
  away = false;
  await user.click(await findByRole("button", { name: "Try again" }));
  await waitFor(() => expect(location.pathname).toBe(`${HOME}/tokens`));
});
