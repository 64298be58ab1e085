import { Text } from "@mantine/core";
import type { RecentEvent } from "#contract/dashboard/events.ts";
import { PageLink } from "../components/page-link.tsx";
import { doerText } from "../plants/doer-text.ts";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";

const DONE = { "plant.created": "added", "plant.changed": "changed", "plant.removed": "removed" } as const;

/** "Ella changed the tag of Rose", with the plant as a link. */
export function EventSentence({ event: { type, plant_id, name, tag, previous, by } }: { readonly event: RecentEvent }) {
  const { account } = useSession();
  const doer = by?.id === account.id ? "You" : doerText(by);
  return (
    <Text span className="breaks" miw={0}>
      {doer === undefined ? "Somebody" : <bdi translate="no">{capitalizedDoer(doer)}</bdi>} {DONE[type]}{" "}
      {previous && previous.name === undefined && "the tag of "}
      <PageLink href={`${PLANTS}?plant=${plant_id}`} className="link" fw={500}>
        <bdi translate="no">{excerpt(name).trim() || plant_id}</bdi>
      </PageLink>
      {previous?.name !== undefined && (
        <>
          , before: <bdi translate="no">{excerpt(previous.name).trim() || "blank"}</bdi>
        </>
      )}
      {previous && previous.name === undefined && (
        <>
          {" to "}
          {tag === null ? "none" : <bdi translate="no">{excerpt(tag) || "blank"}</bdi>}
        </>
      )}
    </Text>
  );
}

/** A sentence begins with "A program", and with the name of a person as it is. */
function capitalizedDoer(doer: string): string {
  return /^(?:a program|the (?:operator|token ))/.test(doer) ? doer.charAt(0).toUpperCase() + doer.slice(1) : doer;
}
