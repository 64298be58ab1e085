import { expect, test } from "bun:test";
import { PlantstoreError } from "#client/error.ts";
import { noAnswer, renderComponent } from "#test/support/component.tsx";
import { NO_ANSWER, RequestFailure } from "../api/failure.ts";
import { FailureNotice } from "./failure-notice.tsx";

test("a failure says the reason as text for people, its request id to copy, and a way on", async () => {
  const again: string[] = [];
  const cause = new RequestFailure(409, 40901, "The id `7` is taken", "req_1");
  const { user, findByRole, findByText } = await renderComponent(
    <FailureNotice cause={cause} title="The plant could not be added" retry={() => again.push("again")} />,
  );
  await findByText("The id 7 is taken");
  await findByText("The plant could not be added");
  await user.click(await findByRole("button", { name: "Copy the request id" }));
  expect(await navigator.clipboard.readText()).toBe("req_1");
  await user.click(await findByRole("button", { name: "Try again" }));
  expect(again).toEqual(["again"]);
});

test("who mistyped a password is given no request id to quote", async () => {
  const cause = new RequestFailure(401, 40152, "The e-mail address or the password is wrong", "req_1");
  const { findByText, queryByText } = await renderComponent(<FailureNotice cause={cause} />);
  await findByText("The e-mail address or the password is wrong");
  expect(queryByText("req_1")).toBeNull();
});

test("a suspended store is said as such, with what its people may expect and do", async () => {
  const message = "This account was suspended by whoever runs the service: unpaid since May";
  const cause = new RequestFailure(403, 40303, message, "req_1");
  const { findByRole, queryByText } = await renderComponent(<FailureNotice cause={cause} retry={() => {}} />);
  const said = (await findByRole("alert")).textContent;
  expect(said).toStartWith(`This store is suspended${message}Nothing was removed. Ask them`);
  await findByRole("button", { name: "Try again" });
  expect(queryByText("req_1")).toBeNull();
});

test("a fault of the page says to reload, with the start of its text alone", async () => {
  const { findByRole } = await renderComponent(<FailureNotice cause={new Error("x".repeat(5000))} />);
  const said = (await findByRole("alert")).textContent;
  expect(said).toMatch(/^Something went wrong on this page\. Reload it/);
  expect(said.length).toBeLessThan(400);
});

test("while the bar says that nothing answers, a list says it not again, but what was sent does", async () => {
  const unread = new RequestFailure(0, undefined, NO_ANSWER, undefined);
  const { page, findByText, queryAllByRole, waitFor } = await renderComponent(
    <>
      <FailureNotice cause={unread} retry={() => {}} />
      <FailureNotice cause={unread} title="The plant could not be added" />
    </>,
    { answers: { "GET /healthz": noAnswer } },
  );
  expect(queryAllByRole("alert")).toHaveLength(2);
  page.service.connection.lost.set(true);
  await waitFor(() => expect(queryAllByRole("alert")).toHaveLength(1));
  await findByText("The plant could not be added");
  page.service.connection.lost.set(false);
  await waitFor(() => expect(queryAllByRole("alert")).toEqual([]));
  // A later outage says nothing of what failed in this one.
  page.service.connection.lost.set(true);
  await Bun.sleep(50);
  expect(queryAllByRole("alert")).toEqual([]);
});

test("a refusal of the API that the client reports shows too, and its request id leads to the request", async () => {
  const cause = new PlantstoreError("If-Match does not hold", { error: 41201, status: 412, requestId: "req_2" });
  const { findByText, findByRole } = await renderComponent(<FailureNotice cause={cause} />);
  await findByText("If-Match does not hold");
  const link = await findByRole("link", { name: "req_2" });
  expect(link.getAttribute("href")).toBe("/dashboard/developer/requests/req_2");
});
