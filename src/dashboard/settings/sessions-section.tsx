import { Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { SessionRecord } from "#contract/dashboard.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { RelativeTime } from "../relative-time.tsx";
import { Section } from "./section.tsx";
import { useEndOtherSessions, useEndSession, useSessions } from "./sessions.ts";

export function SessionsSection() {
  const sessions = useSessions();
  const end = useEndSession();
  const endOthers = useEndOtherSessions();
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
                ending={end.isPending && end.variables === session.id}
                onEnd={() => end.mutate(session.id)}
              />
            </li>
          ))}
        </ul>
      )}
      <FailureNotice cause={end.error ?? endOthers.error} title="Cannot end the session" />
      {others && (
        <Group>
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
            End all others
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
  return (
    <Group justify="space-between">
      <Stack gap={2}>
        <Group gap="xs">
          <Text>{session.device}</Text>
          {session.current && (
            <Badge variant="light" tt="none">
              This one
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {session.address && `${session.address}, `}last seen <RelativeTime at={session.last_seen_at} />
        </Text>
      </Stack>
      {!session.current && (
        <Button size="xs" variant="default" aria-label={`End ${session.device}`} loading={ending} onClick={onEnd}>
          End
        </Button>
      )}
    </Group>
  );
}
