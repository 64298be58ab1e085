import { expect, test } from "bun:test";
import { held, noAnswer, renderComponent } from "#test/support/component.tsx";
import { ConnectionBar } from "./connection-bar.tsx";

const HEALTH = "GET /healthz";
const SAID = /Plantstore does not answer/;

test("while the service answers there is nothing but the region in which an outage is heard", async () => {
  const { container, queryByText } = await renderComponent(<ConnectionBar />);
  expect(queryByText(SAID)).toBeNull();
  expect(container.querySelector("[role=status]")).not.toBeNull();
});

test("an outage is said at once, and goes by itself when the service answers", async () => {
  let gone = true;
  const { page, findByText, queryByText, waitFor } = await renderComponent(<ConnectionBar />, {
    answers: { [HEALTH]: () => (gone ? noAnswer() : "ok") },
  });
  page.service.connection.reportLost();
  expect((await findByText(SAID)).closest("[role=status]")).not.toBeNull();
  await page.service.connection.retryNow();
  await findByText(SAID);
  gone = false;
  await page.service.connection.retryNow();
  await waitFor(() => expect(queryByText(SAID) === null).toBe(true));
});

test("Try now asks at once, and only once however often it is pressed", async () => {
  const slow = held("ok");
  const { page, user, calls, findByRole, queryByText, waitFor } = await renderComponent(<ConnectionBar />, {
    answers: { [HEALTH]: slow.answer },
  });
  page.service.connection.reportLost();
  await user.dblClick(await findByRole("button", { name: "Try now" }));
  slow.release();
  await waitFor(() => expect(queryByText(SAID) === null).toBe(true));
  expect(calls()).toEqual([HEALTH]);
});
