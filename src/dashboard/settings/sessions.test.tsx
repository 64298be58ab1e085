import { expect, test } from "bun:test";
import type { SessionRecord } from "#contract/dashboard/session.ts";
import { focusedName, held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { ConnectionBar } from "../frame/connection-bar.tsx";
import { Sessions } from "./sessions.tsx";

const LIST = "GET /dashboard/api/sessions";
const END_OTHERS = "POST /dashboard/api/sessions/end-others";
const AT = "2026-03-01T00:00:00.000Z";

function session(id: string, device: string, more: Partial<SessionRecord> = {}): SessionRecord {
  return { id, device, current: false, address: "203.0.113.7", created_at: AT, last_seen_at: AT, ...more };
}

const HERE = session("ses_1", "Firefox on Linux", { current: true });
const PHONE = session("ses_2", "Safari on iPhone");
const TILL = session("ses_3", "Chrome on Windows", { address: "" });

/** A service that forgets the sessions which are ended. */
function sessionsOf(...records: readonly SessionRecord[]) {
  let left = records;
  const end = (id: string) => () => {
    left = left.filter((record) => record.id !== id);
    return new Response(null, { status: 204 });
  };
  return {
    [LIST]: () => ({ sessions: left }),
    ...Object.fromEntries(records.map(({ id }) => [`POST /dashboard/api/sessions/${id}/end`, end(id)])),
    [END_OTHERS]: () => {
      left = left.filter(({ current }) => current);
      return new Response(null, { status: 204 });
    },
  };
}

test("each session is told by its device, address and time, and the one in use is marked and cannot be ended here", async () => {
  const { findByText, getAllByRole, queryByRole } = await renderComponent(<Sessions />, {
    answers: sessionsOf(HERE, PHONE, TILL),
  });
  await findByText("This device");
  const rows = getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(rows[0]).toMatch(/^Firefox on LinuxThis device203\.0\.113\.7, last seen/);
  expect(rows[1]).toMatch(/^Safari on iPhone203\.0\.113\.7, last seen .*End$/);
  expect(rows[2]).toMatch(/^Chrome on Windowslast seen/);
  expect(queryByRole("button", { name: "End Firefox on Linux" })).toBeNull();
});

test("a session that is ended leaves the list, the others stay, and the keyboard goes on from the section's title", async () => {
  const { user, calls, findByRole, waitFor, queryByText } = await renderComponent(<Sessions />, {
    answers: sessionsOf(HERE, PHONE, TILL),
  });
  await user.click(await findByRole("button", { name: "End Safari on iPhone" }));
  await waitFor(() => expect(queryByText("Safari on iPhone")).toBeNull());
  await findByRole("button", { name: "End Chrome on Windows" });
  await waitFor(() => expect(focusedName()).toBe("Sessions"));
  expect(calls().filter((call) => call.startsWith("POST"))).toEqual(["POST /dashboard/api/sessions/ses_2/end"]);
});

test("all other sessions end at once, and then there is nothing left to end", async () => {
  const { user, findByRole, findByText, waitFor, queryAllByRole } = await renderComponent(<Sessions />, {
    answers: sessionsOf(HERE, PHONE, TILL),
  });
  await user.click(await findByRole("button", { name: "End all other sessions" }));
  await waitFor(() => expect(queryAllByRole("button")).toEqual([]));
  await findByText("Firefox on Linux");
});

test("with one session alone there is no button that ends others", async () => {
  const { findByText, queryByRole } = await renderComponent(<Sessions />, { answers: sessionsOf(HERE) });
  await findByText("This device");
  expect(queryByRole("button")).toBeNull();
});

test("a session that could not be ended stays, with the reason and the request id to copy", async () => {
  const { user, findByRole, findByText } = await renderComponent(<Sessions />, {
    answers: {
      ...sessionsOf(HERE, PHONE),
      "POST /dashboard/api/sessions/ses_2/end": refusal(50301, "The storage is away"),
    },
  });
  await user.click(await findByRole("button", { name: "End Safari on iPhone" }));
  await findByText("The storage is away");
  await user.click(await findByRole("button", { name: "Copy the request id" }));
  expect(await navigator.clipboard.readText()).toBe("req_test");
  await findByRole("button", { name: "End Safari on iPhone" });
});

test("once the other sessions were ended, an earlier failure to end one of them is gone", async () => {
  const { user, findByRole, findByText, waitFor, queryByRole } = await renderComponent(<Sessions />, {
    answers: {
      ...sessionsOf(HERE, PHONE, TILL),
      "POST /dashboard/api/sessions/ses_2/end": refusal(50301, "The storage is away"),
    },
  });
  await user.click(await findByRole("button", { name: "End Safari on iPhone" }));
  await findByText("The storage is away");
  await user.click(await findByRole("button", { name: "End all other sessions" }));
  await waitFor(() => expect(queryByRole("button", { name: "End Safari on iPhone" })).toBeNull());
  expect(queryByRole("alert")).toBeNull();
});

test("two clicks on the button that ends a session end it once", async () => {
  const slow = held(new Response(null, { status: 204 }));
  const { user, calls, findByRole } = await renderComponent(<Sessions />, {
    answers: { ...sessionsOf(HERE, PHONE), "POST /dashboard/api/sessions/ses_2/end": slow.answer },
  });
  await user.dblClick(await findByRole("button", { name: "End Safari on iPhone" }));
  slow.release();
  expect(calls().filter((call) => call.endsWith("/end"))).toHaveLength(1);
});

test("a list that takes long shows its shape meanwhile", async () => {
  const slow = held({ sessions: [HERE] });
  const { container, findByText } = await renderComponent(<Sessions />, { answers: { [LIST]: slow.answer } });
  expect(container.querySelector(".late")).not.toBeNull();
  slow.release();
  await findByText("Firefox on Linux");
  expect(container.querySelector(".late")).toBeNull();
});

test("a refused list can be asked for again", async () => {
  let away = true;
  const { user, findByRole, findByText, queryByRole } = await renderComponent(<Sessions />, {
    answers: { [LIST]: () => (away ? refusal(50301, "The storage is away") : { sessions: [HERE] }) },
  });
  await findByText("The storage is away");
  away = false;
  await user.click(await findByRole("button", { name: "Try again" }));
  await findByText("Firefox on Linux");
  expect(queryByRole("alert")).toBeNull();
});

test("a list that got no answer comes by itself once the service answers again", async () => {
  let gone = true;
  const { page, findByText, queryByText } = await renderComponent(
    <>
      <ConnectionBar />
      <Sessions />
    </>,
    {
      answers: {
        [LIST]: () => (gone ? noAnswer() : { sessions: [HERE] }),
        "GET /healthz": () => (gone ? noAnswer() : "ok"),
      },
    },
  );
  await findByText(/does not answer/);
  gone = false;
  await page.service.connection.retryNow();
  await findByText("Firefox on Linux");
  expect(queryByText(/does not answer/)).toBeNull();
});
