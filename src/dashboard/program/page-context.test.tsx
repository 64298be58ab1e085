import { expect, test } from "bun:test";
import { useMutation, useQuery } from "@tanstack/react-query";
import { noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { useService } from "./page-context.tsx";

const LIST = "GET /dashboard/api/things";
const HEALTH = "GET /healthz";

function Things() {
  const service = useService();
  const list = useQuery({ queryKey: ["things"], queryFn: () => service.api<string[]>("GET", "/things") });
  const add = useMutation({ mutationFn: () => service.api("POST", "/things") });
  return (
    <>
      <p>{list.data?.join(", ") ?? (list.error ? "none" : "waiting")}</p>
      <button type="button" onClick={() => add.mutate()}>
        add
      </button>
      <p>{add.isError && "not added"}</p>
    </>
  );
}

test("a refusal is not repeated: it would be refused again", async () => {
  const { calls, findByText } = await renderComponent(<Things />, { answers: { [LIST]: refusal(40301) } });
  await findByText("none");
  expect(calls()).toEqual([LIST]);
});

test("what got no answer is asked for again once the service answers, and what was refused is not", async () => {
  let gone = true;
  const { page, calls, findByText } = await renderComponent(<Things />, {
    answers: { [LIST]: () => (gone ? noAnswer() : ["fern"]), [HEALTH]: () => (gone ? noAnswer() : "ok") },
  });
  await findByText("none");
  await page.queries
    .fetchQuery({ queryKey: ["refused"], queryFn: () => page.service.api("GET", "/refused") })
    .catch(() => {});
  gone = false;
  await page.service.connection.retryNow();
  await findByText("fern");
  expect(calls().filter((call) => call.endsWith("/refused"))).toHaveLength(1);
});

test("what was read before an outage stays, and is not read again for it", async () => {
  let gone = false;
  const { page, calls, findByText, getByText } = await renderComponent(<Things />, {
    answers: { [LIST]: ["fern"], [HEALTH]: () => (gone ? noAnswer() : "ok") },
  });
  await findByText("fern");
  gone = true;
  page.service.connection.reportLost();
  await page.service.connection.retryNow();
  getByText("fern");
  gone = false;
  await page.service.connection.retryNow();
  expect(page.service.connection.lost.get()).toBe(false);
  expect(calls().filter((call) => call === LIST)).toHaveLength(1);
});

test("a change that got no answer is never repeated by itself: it may have been made", async () => {
  const add = "POST /dashboard/api/things";
  let gone = true;
  const { user, page, calls, findByRole, findByText } = await renderComponent(<Things />, {
    answers: { [LIST]: [], [add]: noAnswer, [HEALTH]: () => (gone ? noAnswer() : "ok") },
  });
  await user.click(await findByRole("button", { name: "add" }));
  await findByText("not added");
  gone = false;
  await page.service.connection.retryNow();
  expect(calls().filter((call) => call === add)).toHaveLength(1);
});
