import { Group, Text } from "@mantine/core";
import type { SessionList, TrustedDeviceList } from "#contract/dashboard/session.ts";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useSession } from "../session/session.ts";
import { Items, Section, useEnd } from "./section.tsx";

const SESSIONS = "sessions";
export const DEVICES = "trusted-devices";

export function Sessions() {
  const query = useAnswer([SESSIONS], (service) => service.api<SessionList>("GET", "/sessions"));
  const sessions = query.data?.sessions;
  const end = useEnd(SESSIONS);
  return (
    <Section id={SESSIONS} title="Sessions" text="Where your account is signed in.">
      <Items
        query={query}
        rows={sessions}
        shape={60}
        item={({ id, device, current, address, last_seen_at }) => ({
          key: id,
          name: device,
          badge: current ? "This device" : undefined,
          remark: (
            <>
              {address && `${address}, `}last seen <RelativeTime at={last_seen_at} />
            </>
          ),
          buttons: current ? [] : [{ label: "End", ...end.props(`${id}/end`) }],
        })}
      />
      <FailureNotice cause={end.error} title="The session could not be ended" />
      {sessions?.some(({ current }) => !current) && (
        <Group>
          <Action label="End all other sessions" {...end.props("end-others")} />
        </Group>
      )}
    </Section>
  );
}

/** Browsers that sign in without a code. Renders nothing while two-factor sign-in is off. */
export function TrustedDevices() {
  const { account } = useSession();
  const devices = useAnswer([DEVICES], (service) => service.api<TrustedDeviceList>("GET", "/trusted-devices"), {
    enabled: account.two_factor,
  });
  const forget = useEnd(DEVICES);
  if (!account.two_factor) return null;
  return (
    <Section id={DEVICES} title="Trusted devices" text="They sign in with the password alone, without a code.">
      <Items
        query={devices}
        rows={devices.data?.devices}
        shape={60}
        empty={<Text size="sm">No device is trusted.</Text>}
        item={({ id, device, address, last_used_at, expires_at }) => ({
          key: id,
          name: device,
          remark: (
            <>
              {address && `${address}, `}last used <RelativeTime at={last_used_at} />, trusted until{" "}
              <RelativeTime at={expires_at} />
            </>
          ),
          buttons: [{ label: "Forget", ...forget.props(`${id}/forget`) }],
        })}
      />
      <FailureNotice cause={forget.error} title="The device could not be forgotten" />
    </Section>
  );
}
