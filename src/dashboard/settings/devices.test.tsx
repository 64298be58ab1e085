import { expect, test } from "bun:test";
import type { SessionRecord, TrustedDevice } from "#contract/dashboard/session.ts";
import { focusedName, held, refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { Sessions, TrustedDevices } from "./devices.tsx";

const SESSIONS = "GET /dashboard/api/sessions";
const END_PHONE = "POST /dashboard/api/sessions/ses_2/end";
const DEVICES = "GET /dashboard/api/trusted-devices";
const AT = "2026-03-01T00:00:00.000Z";

function session(id: string, device: string, more: Partial<SessionRecord> = {}): SessionRecord {
  return { id, device, current: false, address: "203.0.113.7", created_at: AT, last_seen_at: AT, ...more };
}

const HERE = session("ses_1", "Firefox on Linux", { current: true });
const PHONE = session("ses_2", "Safari on iPhone");
const TILL = session("ses_3", "Chrome on Windows", { address: "" });

/** A service with three sessions: the phone's ends when `endPhone` is called, and all but the one in use at once. */
async function renderSessions(more: Record<string, unknown> = {}) {
  let sessions = [HERE, PHONE, TILL];
  const ending = held(undefined);
  const leaving = (left: SessionRecord[]) => () => {
    sessions = left;
    return new Response(null, { status: 204 });
  };
  const answers = {
    [SESSIONS]: () => ({ sessions }),
    [END_PHONE]: () => ending.answer().then(leaving([HERE, TILL])),
    "POST /dashboard/api/sessions/end-others": leaving([HERE]),
    ...more,
  };
  return { ...(await renderComponent(<Sessions />, { answers })), endPhone: ending.release };
}

test("a session that is ended leaves the list, the others stay, and the keyboard goes on from the section's title", async () => {
  const { user, calls, endPhone, findByRole, waitFor, queryAllByText } = await renderSessions();
  await user.dblClick(await findByRole("button", { name: "End Safari on iPhone" }));
  endPhone();
  await waitFor(() => expect(queryAllByText("Safari on iPhone")).toHaveLength(0));
  await findByRole("button", { name: "End Chrome on Windows" });
  await waitFor(() => expect(focusedName()).toBe("Sessions"));
  expect(calls().filter((call) => call.startsWith("POST"))).toEqual([END_PHONE]);
});

test("a session that is ended while the reader is elsewhere leaves the focus there", async () => {
  const { press, endPhone, findByRole, waitFor, queryAllByText } = await renderSessions();
  await press("End Safari on iPhone");
  (await findByRole("button", { name: "End Chrome on Windows" })).focus();
  endPhone();
  await waitFor(() => expect(queryAllByText("Safari on iPhone")).toHaveLength(0));
  expect(focusedName()).toBe("End Chrome on Windows");
});

test("one that could not be ended stays, with the reason; once all others were ended, the failure and the buttons are gone", async () => {
  const { press, findByRole, findByText, waitFor, queryAllByRole } = await renderSessions({
    [END_PHONE]: refusal(50301, "The storage is away"),
  });
  await press("End Safari on iPhone");
  await findByText("The storage is away");
  await findByRole("button", { name: "End Safari on iPhone" });
  await press("End all other sessions");
  await waitFor(() => expect([...queryAllByRole("button"), ...queryAllByRole("alert")]).toHaveLength(0));
  await findByText("Firefox on Linux");
});

const LAPTOP: TrustedDevice = {
  id: "dev_1",
  current: true,
  device: "Firefox on Linux",
  address: "203.0.113.7",
  created_at: AT,
  last_used_at: AT,
  expires_at: "2999-03-31T00:00:00.000Z",
};

function renderDevices(answers: Record<string, unknown>, two_factor = true) {
  const session = { ...SESSION, account: { ...SESSION.account, two_factor } };
  return renderComponent(
    <>
      <TrustedDevices />
      <p>after it</p>
    </>,
    { session, answers },
  );
}

test("without two-factor sign-in no device is trusted, and none is asked for", async () => {
  const { calls, findByText, queryAllByRole } = await renderDevices({}, false);
  await findByText("after it");
  expect(queryAllByRole("heading")).toHaveLength(0);
  expect(calls()).not.toContain(DEVICES);
});

test("each device is told with its address, its last use and the end of the trust, and leaves the list when forgotten", async () => {
  let forgotten = false;
  const { press, findByText, getByRole } = await renderDevices({
    [DEVICES]: () => ({ devices: forgotten ? [] : [LAPTOP] }),
    "POST /dashboard/api/trusted-devices/dev_1/forget": () => {
      forgotten = true;
      return new Response(null, { status: 204 });
    },
  });
  await findByText("Firefox on Linux");
  expect(getByRole("listitem").textContent).toMatch(/203\.0\.113\.7, last used .* ago, trusted until in \d+ years/);
  await press("Forget Firefox on Linux");
  await findByText("No device is trusted.");
});
