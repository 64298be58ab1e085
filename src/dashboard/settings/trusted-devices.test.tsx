import { expect, test } from "bun:test";
import type { TrustedDevice } from "#contract/dashboard/session.ts";
import { refusal, renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import { TrustedDevices } from "./trusted-devices.tsx";

const LIST = "GET /dashboard/api/trusted-devices";
const FORGET = "POST /dashboard/api/trusted-devices/dev_1/forget";
const WITH_FACTOR = { ...SESSION, account: { ...SESSION.account, two_factor: true } };

const LAPTOP: TrustedDevice = {
  id: "dev_1",
  current: true,
  device: "Firefox on Linux",
  address: "203.0.113.7",
  created_at: "2026-03-01T00:00:00.000Z",
  last_used_at: "2026-03-01T00:00:00.000Z",
  expires_at: "2999-03-31T00:00:00.000Z",
};

function renderDevices(answers: Record<string, unknown>) {
  return renderComponent(
    <WhenSignedIn>
      <TrustedDevices />
    </WhenSignedIn>,
    { answers: { "GET /dashboard/api/session": WITH_FACTOR, ...answers } },
  );
}

test("without two-factor sign-in no device is trusted, and none is asked for", async () => {
  const { calls, findByText, queryByRole } = await renderComponent(
    <WhenSignedIn>
      <TrustedDevices />
      <p>after it</p>
    </WhenSignedIn>,
  );
  await findByText("after it");
  expect(queryByRole("heading")).toBeNull();
  expect(calls()).not.toContain(LIST);
});

test("each device is told with its address, its last use and the end of the trust", async () => {
  const { findByText, getByRole } = await renderDevices({ [LIST]: { devices: [LAPTOP] } });
  await findByText("Firefox on Linux");
  expect(getByRole("listitem").textContent).toMatch(/203\.0\.113\.7, last used .* ago, trusted until in \d+ years/);
});

test("where no device is trusted, it says so", async () => {
  const { findByText } = await renderDevices({ [LIST]: { devices: [] } });
  await findByText("No device is trusted.");
});

test("a device that is forgotten leaves the list", async () => {
  let forgotten = false;
  const { user, findByRole, findByText } = await renderDevices({
    [LIST]: () => ({ devices: forgotten ? [] : [LAPTOP] }),
    [FORGET]: () => {
      forgotten = true;
      return new Response(null, { status: 204 });
    },
  });
  await user.click(await findByRole("button", { name: "Forget Firefox on Linux" }));
  await findByText("No device is trusted.");
});

test("a device that could not be forgotten stays, with the reason and the request id", async () => {
  const { user, findByRole, findByText } = await renderDevices({
    [LIST]: { devices: [LAPTOP] },
    [FORGET]: refusal(50301, "The storage is away"),
  });
  await user.click(await findByRole("button", { name: "Forget Firefox on Linux" }));
  await findByText("The storage is away");
  await findByText("req_test");
  await findByRole("button", { name: "Forget Firefox on Linux" });
});

test("a list that takes long shows its shape meanwhile, and a refused one can be asked for again", async () => {
  const slow = slowRefusal({ devices: [LAPTOP] });
  const rendered = await renderDevices({ [LIST]: slow.answer });
  await slow.check(rendered);
  await rendered.findByText("Firefox on Linux");
});
