import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TrustedDevice } from "#contract/dashboard/session.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
import { useSession } from "../session/session.ts";
import { focusTitle, Section } from "./section.tsx";

const KEY = ["trusted-devices"];

/** Browsers that sign in without a code. Renders nothing while two-factor sign-in is off. */
export function TrustedDevices() {
  const service = useService();
  const queries = useQueryClient();
  const { account } = useSession();
  const devices = useQuery({
    queryKey: KEY,
    queryFn: async () => (await service.api<{ devices: TrustedDevice[] }>("GET", "/trusted-devices")).devices,
    enabled: account.two_factor,
  });
  const forget = useMutation({
    mutationFn: (id: string) => service.api("POST", `/trusted-devices/${id}/forget`),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: KEY });
      focusTitle("devices");
    },
  });
  if (!account.two_factor) return null;
  return (
    <Section id="devices" title="Trusted devices" text="They sign in with the password alone, without a code.">
      <FailureNotice cause={devices.error} retry={() => devices.refetch()} />
      {devices.isPending && <Skeleton h={60} className="late" />}
      {devices.data?.length === 0 && <Text size="sm">No device is trusted.</Text>}
      <ul className="plain-list">
        {devices.data?.map(({ id, device, address, last_used_at, expires_at }) => (
          <li key={id}>
            <Group justify="space-between" wrap="nowrap">
              <Stack gap={2} miw={0}>
                <Text>{device}</Text>
                <Text size="sm" c="dimmed">
                  {address && `${address}, `}last used <RelativeTime at={last_used_at} />, trusted until{" "}
                  <RelativeTime at={expires_at} />
                </Text>
              </Stack>
              <Button
                size="xs"
                variant="default"
                aria-label={`Forget ${device}`}
                loading={forget.isPending && forget.variables === id}
                onClick={() => forget.mutate(id)}
                flex="none"
              >
                Forget
              </Button>
            </Group>
          </li>
        ))}
      </ul>
      <FailureNotice cause={forget.error} title="The device could not be forgotten" />
    </Section>
  );
}
