import { Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SessionList, SessionRecord } from "#contract/dashboard/session.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
import { focusTitle, Section } from "./section.tsx";

const KEY = ["sessions"];

export function Sessions() {
  const service = useService();
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: async () => (await service.api<SessionList>("GET", "/sessions")).sessions,
  });
  // One mutation for both, so that the shown failure is always that of the last attempt.
  const end = useMutation({
    mutationFn: (path: string) => service.api("POST", `/sessions/${path}`),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: KEY });
      focusTitle("sessions");
    },
  });
  const ending = (path: string) => end.isPending && end.variables === path;
  const others = sessions.data?.some(({ current }) => !current);
  return (
    <Section id="sessions" title="Sessions" text="Where your account is signed in.">
      <FailureNotice cause={sessions.error} retry={() => sessions.refetch()} />
      {sessions.isPending && <Skeleton h={60} className="late" />}
      {sessions.data && (
        <ul className="plain-list">
          {sessions.data.map((session) => (
            <li key={session.id}>
              <SessionRow
                session={session}
                ending={ending(`${session.id}/end`)}
                onEnd={() => end.mutate(`${session.id}/end`)}
              />
            </li>
          ))}
        </ul>
      )}
      <FailureNotice cause={end.error} title="The session could not be ended" />
      {others && (
        <Group>
          <Button variant="default" loading={ending("end-others")} onClick={() => end.mutate("end-others")}>
            End all other sessions
          </Button>
        </Group>
      )}
    </Section>
  );
}

interface SessionRowProps {
  readonly session: SessionRecord;
  readonly ending: boolean;
  readonly onEnd: () => void;
}

function SessionRow({ session, ending, onEnd }: SessionRowProps) {
  const { device, current, address, last_seen_at } = session;
  return (
    <Group justify="space-between" wrap="nowrap">
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Text>{device}</Text>
          {current && (
            <Badge variant="light" tt="none">
              This device
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {address && `${address}, `}last seen <RelativeTime at={last_seen_at} />
        </Text>
      </Stack>
      {!current && (
        <Button size="xs" variant="default" aria-label={`End ${device}`} loading={ending} onClick={onEnd} flex="none">
          End
        </Button>
      )}
    </Group>
  );
}
