import { Group, Text } from "@mantine/core";
import type { PlantTags } from "#contract/dashboard/plants.ts";
import { useAnswer } from "../api/asking.ts";
import { Answered } from "../components/answered.tsx";
import { PageLink } from "../components/page-link.tsx";
import { Panel } from "../components/page-title.tsx";
import { PLANTS_KEY } from "../plants/plant-data.ts";
import { PLANTS } from "../program/pages.ts";
import { formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";

const SHOWN = 10;
const STALE_MS = 60_000;

/** How many plants have which tag, and how many none. */
export function TagCounts() {
  const tags = useAnswer<PlantTags>([PLANTS_KEY, "tags"], (service) => service.api("GET", "/plants/tags"), {
    staleTime: STALE_MS,
  });
  return (
    <Panel id="tags" title="Tags">
      <Answered query={tags} data={tags.data} shape={SHOWN * 28}>
        {({ tags, other, untagged, about }) => {
          const named = tags.slice(0, SHOWN);
          const rest = tags.slice(SHOWN).reduce((sum, { count }) => sum + count, other);
          return (
            <>
              <ul className="plain-list">
                {named.map(({ tag, count }) => (
                  <Count key={tag} count={count}>
                    <PageLink href={`${PLANTS}?tag=${encodeURIComponent(tag)}`} className="cut-link">
                      {tag === "" ? "(empty)" : <bdi translate="no">{excerpt(tag)}</bdi>}
                    </PageLink>
                  </Count>
                ))}
                {rest > 0 && <Count count={rest}>Other tags</Count>}
                <Count count={untagged}>Without a tag</Count>
              </ul>
              {about && <Text variant="remark">The newest plants are still being counted.</Text>}
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}

function Count({ count, children }: { readonly count: number; readonly children: React.ReactNode }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" justify="space-between">
      <Text span className="cut" miw={0}>
        {children}
      </Text>
      <Text span c="dimmed" flex="none">
        {formatNumber(count)}
      </Text>
    </Group>
  );
}
