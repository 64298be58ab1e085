import { Box, Group, Skeleton, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { PlantstoreError } from "#client/error.ts";
import type { PlantEvent } from "#client/event.ts";
import type { PlantTexts } from "#client/plant.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { LABELS, MEMBER_NAMES, textsOf } from "#contract/plant-members.ts";
import { useChange } from "../api/asking.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { List } from "../components/list.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
import { useMay } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";
import { doerText } from "./doer-text.ts";
import { PLANT_DATA, PLANTS_KEY } from "./plant-data.ts";

const PAGE_LENGTH = 20;

interface PlantHistoryProps {
  readonly id: bigint;
  /** The plant's present texts; undefined if there is no such plant. */
  readonly now: PlantTexts | undefined;
  readonly restore: (service: ServiceClient, to: PlantTexts) => Promise<unknown>;
  readonly onRestored: () => unknown;
}

/** The events of the plants that have or had this id, newest first. */
export function usePlantHistory(id: bigint, enabled = true) {
  const { client } = useService();
  return useInfiniteQuery({
    queryKey: [PLANTS_KEY, "history", String(id)],
    queryFn: ({ pageParam: cursor, signal }) =>
      client.eventPage({ plant: id, order: "-timestamp", limit: PAGE_LENGTH, cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ hasMore, nextCursor }) => (hasMore ? nextCursor : undefined),
    refetchOnWindowFocus: false,
    enabled,
  });
}

/** "Removed by Rosa, 5 minutes ago", of a plant that is no longer there. */
export function RemovedBy({ id }: { readonly id: bigint }) {
  const history = usePlantHistory(id);
  const [newest] = history.data?.pages[0]?.events ?? [];
  if (history.isPending) return <Skeleton h={22} />;
  if (newest?.type !== "plant.removed") return <Text role="alert">There is no plant with this id.</Text>;
  return (
    <Text role="alert" className="breaks">
      Removed by <bdi translate="no">{doerText(newest.by) ?? "somebody"}</bdi>, <RelativeTime at={newest.timestamp} />
    </Text>
  );
}

export function PlantHistory({ id, now, restore, onRestored }: PlantHistoryProps) {
  const announce = useAnnounce();
  const may = useMay()("change plants");
  const history = usePlantHistory(id);
  const restoring = useChange(restore, {
    changes: PLANT_DATA,
    done: async (_, renewed) => {
      announce("Restored");
      await onRestored();
      await renewed;
    },
  });
  const events = history.data?.pages.flatMap((page) => page.events);
  const oldest = events?.at(-1);
  const last = now ?? events?.[0]?.plant;
  /** True for each state that is another one than now; of a removed plant, for the last one too. */
  const canRestore = ({ plant }: PlantEvent, isNewest: boolean) =>
    plant !== undefined && ((isNewest && !now) || MEMBER_NAMES.some((member) => plant[member] !== last?.[member]));
  const isCut = !history.hasNextPage && events !== undefined && oldest?.type !== "plant.created";
  if (isTurnedOff(history.error))
    return <HistorySection>{<Text size="sm">This service keeps no history.</Text>}</HistorySection>;
  return (
    <HistorySection>
      <FailureNotice cause={restoring.error} title="The plant could not be restored" />
      <List query={history} rows={events} empty={null} shape={120}>
        {(rows) => (
          <Stack component="ol" gap={0} m={0} p={0} style={{ listStyle: "none" }} aria-label="History">
            {rows.map((event, index) => (
              <Entry
                key={event.id}
                event={event}
                canRestore={may && canRestore(event, index === 0)}
                isPending={restoring.isPending}
                onRestore={(to) => restoring.mutate(to)}
              />
            ))}
          </Stack>
        )}
      </List>
      {isCut && (
        <Text variant="remark">{oldest ? "What happened before is no longer kept." : "No history of it is kept."}</Text>
      )}
    </HistorySection>
  );
}

function HistorySection({ children }: { readonly children: React.ReactNode }) {
  return (
    <Stack component="section" gap="sm" mt="lg" aria-labelledby="history-title">
      <Title order={2} size="h4" id="history-title">
        History
      </Title>
      {children}
    </Stack>
  );
}

function isTurnedOff(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERROR_NUMBERS["address-unknown"];
}

interface EntryProps {
  readonly event: PlantEvent;
  readonly canRestore: boolean;
  readonly isPending: boolean;
  readonly onRestore: (to: PlantTexts) => void;
}

const LINE = { borderLeft: "2px solid var(--plantstore-line)" };
const DONE = { "plant.created": "Added", "plant.changed": "Changed", "plant.removed": "Removed" } as const;

function Entry({ event: { type, timestamp, plant, previous, by }, canRestore, isPending, onRestore }: EntryProps) {
  const doer = doerText(by);
  const label = type === "plant.removed" ? "Restore" : "Go back to this version";
  return (
    <Stack component="li" align="flex-start" gap={4} pt={2} pb={14} pl={14} style={LINE} data-type={type}>
      <Text size="sm" component="div" className="breaks">
        <Text span fw={600} inherit>
          {DONE[type]}
        </Text>
        {doer && (
          <>
            {" by "}
            <bdi translate="no">{doer}</bdi>
          </>
        )}
        {", "}
        <Text span c="dimmed" inherit>
          <RelativeTime at={timestamp} />
        </Text>
      </Text>
      {plant && <Texts texts={plant} previous={previous} />}
      {plant && canRestore && (
        <Action
          label={label}
          aria-label={`${label}: ${excerpt(plant.name)}`}
          kind={type === "plant.removed" ? "main" : "plain"}
          size="compact-sm"
          disabled={isPending}
          onClick={() => onRestore(textsOf(plant))}
        />
      )}
    </Stack>
  );
}

interface TextsProps {
  readonly texts: PlantTexts;
  readonly previous: PlantEvent["previous"];
}

/** The members that a change changed, before and after it; of another event the plant as it was. */
function Texts({ texts, previous }: TextsProps) {
  const shown = MEMBER_NAMES.filter((member) => (previous ?? texts)[member] !== undefined).map((member) => {
    return { term: LABELS[member], before: previous?.[member], after: texts[member] ?? null };
  });
  return (
    <Box component="dl" m={0} fz="sm">
      {shown.map(({ term, before, after }) => (
        <Group key={term} gap={8} wrap="nowrap" align="baseline">
          <Text component="dt" variant="remark" w={44} flex="none">
            {term}
          </Text>
          <Box component="dd" m={0} miw={0} className="breaks" style={{ whiteSpace: "pre-wrap" }}>
            {before !== undefined && (
              <Text span inherit c="dimmed">
                <del>
                  <Value text={before} />
                </del>
                <VisuallyHidden> became </VisuallyHidden>
                <Box component="span" mx={6} style={{ verticalAlign: -2 }}>
                  <Icon name="arrow" size={14} />
                </Box>
              </Text>
            )}
            <Value text={after} />
          </Box>
        </Group>
      ))}
    </Box>
  );
}

function Value({ text }: { readonly text: string | null }) {
  if (text !== null && text.trim() !== "") return <bdi translate="no">{excerpt(text)}</bdi>;
  return <i>{text === null ? "none" : "blank"}</i>;
}
