import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Answered } from "../components/answered.tsx";
import { PageLink } from "../components/page-link.tsx";
import { Panel } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
import { ACTIVITY } from "../program/pages.ts";
import { EventSentence } from "./event-sentence.tsx";
import { RECENT_SHOWN, recentEventsQuery } from "./recent-events.ts";

const RENEWED_MS = 10_000;

/** Lists who added, changed or removed which plant, newest first. */
export function RecentChanges() {
  const recent = useQuery({ ...recentEventsQuery(useService()), refetchInterval: RENEWED_MS });
  return (
    <Panel id="recent" title="Recently added and changed">
      <Answered query={recent} data={recent.data} shape={RECENT_SHOWN * 36}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">Nothing has changed yet.</Text>
          ) : (
            <>
              <ul className="plain-list">
                {data.map((event) => (
                  <Group key={event.id} component="li" gap="sm" wrap="nowrap" justify="space-between" align="baseline">
                    <EventSentence event={event} />
                    <Text size="sm" c="dimmed" flex="none">
                      <RelativeTime at={event.timestamp} focusable={false} />
                    </Text>
                  </Group>
                ))}
              </ul>
              <Text mt="sm">
                <PageLink href={ACTIVITY} className="link">
                  All activity
                </PageLink>
              </Text>
            </>
          )
        }
      </Answered>
    </Panel>
  );
}
