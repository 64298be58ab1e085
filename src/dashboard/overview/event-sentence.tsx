import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { RecentEvent } from "#contract/dashboard/events.ts";
import { PageLink } from "../components/page-link.tsx";
import { doerText, sentenceStart } from "../plants/doer-text.ts";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";

const DONE = { "plant.created": "added", "plant.changed": "changed", "plant.removed": "removed" } as const;

/** "Ella renamed Rose to Rosa gallica", with the plant as a link. */
export function EventSentence({ event: { type, plant_id, name, tag, previous, by } }: { readonly event: RecentEvent }) {
  const { account } = useSession();
  const doer = by?.id === account.id ? "You" : doerText(by);
  const plant = (
    <PageLink href={`${PLANTS}?plant=${plant_id}`} className="link" fw={500}>
      <bdi translate="no">{excerpt(name).trim() || plant_id}</bdi>
    </PageLink>
  );
  return (
    <Text span className="breaks" miw={0}>
      {doer === undefined ? "Somebody" : <bdi translate="no">{sentenceStart(doer)}</bdi>}{" "}
      {previous?.name === undefined ? (
        previous?.tag !== undefined ? (
          <Retagged plant={plant} tag={tag} />
        ) : (
          <>
            {DONE[type]} {plant}
          </>
        )
      ) : (
        <>
          renamed <bdi translate="no">{excerpt(previous.name).trim() || "a plant without a name"}</bdi> to {plant}
        </>
      )}
    </Text>
  );
}

function Retagged({ plant, tag }: { readonly plant: ReactNode; readonly tag: string | null }) {
  if (tag === null) return <>took the tag off {plant}</>;
  return (
    <>
      tagged {plant} as <bdi translate="no">{excerpt(tag) || "(empty)"}</bdi>
    </>
  );
}
