import { expect, test } from "bun:test";
import { noAnswer, refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { SessionGate } from "./session-gate.tsx";

const ASK = "GET /dashboard/api/session";

function renderGate(answer: unknown, { path = "/dashboard", open = false } = {}) {
  return renderComponent(
    <SessionGate open={open}>
      <p>the page</p>
    </SessionGate>,
    { answers: { [ASK]: answer, "GET /healthz": "ok" }, path, known: null },
  );
}

test("a page for everybody shows at once, and asks for no session where there never was one", async () => {
  const { findByText, calls } = await renderGate(refusal(40150), { path: "/docs", open: true });
  await findByText("the page");
  expect(calls()).toEqual([]);
});

test("a service that is away is no missing session: it says so, and the page comes by itself afterwards", async () => {
  let gone = true;
  const { page, left, findByText } = await renderGate(() => (gone ? noAnswer() : SESSION));
  await findByText(/does not answer/);
  expect(left).toEqual([]);
  gone = false;
  await page.service.connection.retryNow();
  await findByText("the page");
});

test("a link to a store of others says so; one that was only remembered is forgotten, without a word", async () => {
  const { findByRole, user, left } = await renderGate(refusal(40450), { path: "/dashboard?store=acc_9" });
  await findByRole("heading", { name: "You do not belong to this store" });
  await user.click(await findByRole("button", { name: "Continue" }));
  expect(left).toEqual(["/dashboard"]);
  const remembered = await renderGate(refusal(40450));
  localStorage.setItem("plantstore-store", "acc_9");
  await remembered.waitFor(() => expect(remembered.left).toEqual(["/dashboard"]));
  expect(remembered.queryByRole("alert")).toBeNull();
});

test("who is removed with the page open is led out as soon as the service refuses anything", async () => {
  let removed = false;
  const { page, findByText, findByRole } = await renderGate(() => (removed ? refusal(40450) : SESSION));
  await findByText("the page");
  removed = true;
  page.service.api("GET", "/nothing").catch(() => {});
  page.service.staleSession.set(1);
  await findByRole("heading", { name: "You no longer belong to Greenleaf Nursery" });
});
