import { expect, jest, test } from "bun:test";
import { ERRORS } from "#contract/errors.ts";
import { focusedName, held, leavingIsQuestioned, refusal, renderComponent } from "#test/support/component.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { UNDO_MS } from "./removals.ts";
import { UndoBar } from "./undo-bar.tsx";

const UNKNOWN = ERRORS["plant-unknown"].error;
const GONE = () => new Response(null, { status: 204 });
const removal = (id: string) => `DELETE /dashboard/api/v1/plants/${id}`;

/** Answers to removals of these plants, in the order in which they were asked. */
function removedBy(...ids: readonly string[]) {
  const removed: string[] = [];
  const answers = ids.map((id) => [
    removal(id),
    () => {
      removed.push(id);
      return GONE();
    },
  ]);
  return { removed, answers: Object.fromEntries(answers) as Record<string, () => unknown> };
}

test("removed plants are gone from the store only when the time for undoing is over", async () => {
  const { removed, answers } = removedBy("1", "2");
  const { page, waitFor } = await renderComponent(<UndoBar />, { answers });
  jest.useFakeTimers();
  try {
    await page.removals.remove(["1", "2"]);
    jest.advanceTimersByTime(UNDO_MS - 1);
    expect([page.removals.current.get()?.state, removed]).toEqual(["undoable", []]);
    jest.advanceTimersByTime(1);
  } finally {
    jest.useRealTimers();
  }
  await waitFor(() => expect(page.removals.current.get()).toBeUndefined());
  expect(removed.sort()).toEqual(["1", "2"]);
});

test("a second removal carries out the first at once", async () => {
  const { removed, answers } = removedBy("1", "2");
  const { page } = await renderComponent(<UndoBar />, { answers });
  await page.removals.remove(["1"]);
  await page.removals.remove(["2"]);
  expect(removed).toEqual(["1"]);
  expect(page.removals.current.get()).toMatchObject({ ids: ["2"], state: "undoable" });
  page.removals.undo();
});

test("plants that are removed while earlier ones are still on their way are not forgotten", async () => {
  const slow = held(undefined);
  const { removed, answers } = removedBy("2", "3");
  const { page } = await renderComponent(<UndoBar />, {
    answers: { ...answers, [removal("1")]: () => slow.answer().then(GONE) },
  });
  await page.removals.remove(["1"]);
  const first = page.removals.removeNow();
  const later = [page.removals.remove(["2"]), page.removals.remove(["3"])];
  slow.release();
  await Promise.all([first, ...later]);
  await page.removals.removeNow();
  expect(removed).toEqual(["2", "3"]);
  expect(page.removals.current.get()).toBeUndefined();
});

test("the focus goes to Undo, but not from a field in which the reader types while earlier plants are still removed", async () => {
  const slow = held(undefined);
  const { page, getByLabelText, findByRole } = await renderComponent(
    <>
      <input aria-label="Search" />
      <UndoBar />
    </>,
    { answers: { [removal("1")]: () => slow.answer().then(GONE) } },
  );
  await page.removals.remove(["1"]);
  await findByRole("button", { name: /^Undo/ });
  expect(focusedName()).toMatch(/^Undo/);
  const next = page.removals.remove(["2"]);
  getByLabelText("Search").focus();
  slow.release();
  await next;
  await findByRole("button", { name: /^Undo/ });
  expect(focusedName()).toBe("Search");
  page.removals.undo();
});

test("the focus goes to the page's title once Undo is gone", async () => {
  const { page, user, findByRole, waitFor } = await renderComponent(
    <>
      <PageTitle title="Plants" />
      <UndoBar />
    </>,
  );
  await page.removals.remove(["1"]);
  await user.click(await findByRole("button", { name: /^Undo/ }));
  await waitFor(() => expect(focusedName()).toBe("Plants"));
});

test("a plant that somebody else has removed before counts as removed", async () => {
  const { page } = await renderComponent(<UndoBar />, {
    answers: { [removal("1")]: refusal(UNKNOWN, "There is none") },
  });
  await page.removals.remove(["1"]);
  await page.removals.removeNow();
  expect(page.removals.current.get()).toBeUndefined();
});

test("of those that could not be removed the bar says how many and why, and tries again on demand", async () => {
  let away = true;
  const { answers } = removedBy("1");
  const { user, page, findByRole, findByText, waitFor } = await renderComponent(<UndoBar />, {
    answers: { ...answers, [removal("2")]: () => (away ? refusal(50301, "The storage is away") : GONE()) },
  });
  await page.removals.remove(["1", "2"]);
  await page.removals.removeNow();
  await findByText("1 plant could not be removed");
  await findByText("The storage is away");
  await findByText("req_test");
  away = false;
  await user.click(await findByRole("button", { name: "Try again" }));
  await waitFor(() => expect(page.removals.current.get()).toBeUndefined());
});

test("a failure can be closed, and the plants are in the list again", async () => {
  const { user, page, findByRole } = await renderComponent(<UndoBar />, {
    answers: { [removal("2")]: refusal(40301, "This token may not write") },
  });
  await page.removals.remove(["2"]);
  await page.removals.removeNow();
  await user.click(await findByRole("button", { name: "Close" }));
  expect(page.removals.current.get()).toBeUndefined();
});

test("leaving the page is questioned while a removal can be undone, and free once it was", async () => {
  const { page, waitFor } = await renderComponent(<UndoBar />);
  await page.removals.remove(["1"]);
  await waitFor(() => expect(leavingIsQuestioned()).toBe(true));
  page.removals.undo();
  await waitFor(() => expect(leavingIsQuestioned()).toBe(false));
});

test("many removals say how far they are", async () => {
  const ids = Array.from({ length: 120 }, (_, index) => String(index));
  const last = held(undefined);
  const { page, findByText } = await renderComponent(<UndoBar />, {
    answers: {
      ...Object.fromEntries(ids.map((id) => [removal(id), GONE])),
      [removal("119")]: () => last.answer().then(GONE),
    },
  });
  await page.removals.remove(ids);
  const done = page.removals.removeNow();
  await findByText("100 of 120 plants removed");
  last.release();
  await done;
  expect(page.removals.current.get()).toBeUndefined();
});
