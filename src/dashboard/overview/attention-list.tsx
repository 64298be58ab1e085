import { Group, Text } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import type { Attention } from "#contract/dashboard/overview.ts";
import { Action } from "../components/action.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { Panel } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { errorHelp, errorMeaning } from "../developer/error-help.ts";
import { DEVELOPER } from "../program/pages.ts";
import { formatNumber, formatShare } from "../text/numbers.ts";

/** Problems that the account's owner can mend, each with the button that does. Renders nothing if there are none. */
export function AttentionList({ attention }: { readonly attention: readonly Attention[] }) {
  if (attention.length === 0) return null;
  return (
    <Panel id="attention" title="Needs attention">
      <ul className="plain-list">
        {attention.map(shownProblem).map(({ key, icon, said, label, href, outside }) => (
          <Group key={key} component="li" gap="sm" justify="space-between">
            <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 260px">
              <Icon name={icon} />
              <Text component="div" className="breaks">
                {said}
              </Text>
            </Group>
            <Action label={label} href={href} outside={outside} size="xs" />
          </Group>
        ))}
      </ul>
    </Panel>
  );
}

type ShownProblem = Pick<ComponentProps<typeof Action>, "label" | "href" | "outside"> & {
  readonly key: string;
  readonly icon: IconName;
  readonly said: ReactNode;
};

function shownProblem(item: Attention): ShownProblem {
  if (item.kind === "errors") {
    const { kind: key, share, count, error } = item;
    const said = `${formatShare(share)} of today's requests were refused, ${formatNumber(count)} with error ${error}: ${errorMeaning(error)}. ${errorHelp(error) ?? ""}`;
    return { key, icon: "warning", said, label: "Show requests", href: `${DEVELOPER}/requests?error=${error}` };
  }
  const { kind, token } = item;
  const key = `${kind}:${token.id}`;
  if (kind === "left") {
    const said = (
      <>
        <bdi translate="no">{token.name}</bdi> was made by somebody who may make no tokens here any more, and may know
        it still.
      </>
    );
    const href = `${DEVELOPER}/tokens?token=${token.id}&do=roll`;
    return { key, icon: "user", said, label: "Roll token", href };
  }
  const { expires_at, last_used_at, created_at } = token;
  const expiring = kind === "expiring";
  const said = (
    <>
      <bdi translate="no">{token.name}</bdi> {expiring ? "expires" : last_used_at ? "was last used" : "was created"}{" "}
      <RelativeTime at={(expiring ? expires_at : last_used_at) ?? created_at} />
      {expiring || last_used_at ? "." : " and never used."}
    </>
  );
  const href = `${DEVELOPER}/tokens?token=${token.id}&do=${expiring ? "roll" : "revoke"}`;
  return { key, icon: expiring ? "clock" : "key", said, label: expiring ? "Roll token" : "Revoke token", href };
}
