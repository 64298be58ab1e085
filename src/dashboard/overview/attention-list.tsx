import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Attention } from "#contract/dashboard/overview.ts";
import { Icon, type IconName } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { errorHelp, errorMeaning } from "../developer/error-help.ts";
import { DEVELOPER } from "../program/page-addresses.ts";
import { counted, formatNumber, formatShare } from "../text/numbers.ts";

const ICONS: Readonly<Record<Attention["kind"], IconName>> = {
  expiring: "clock",
  unused: "key",
  errors: "warning",
  version: "warning",
};

/** Problems that the account's owner can mend, each with the button that does. Renders nothing if there are none. */
export function AttentionList({ attention }: { readonly attention: readonly Attention[] }) {
  if (attention.length === 0) return null;
  return (
    <Stack component="section" className="panel" aria-labelledby="attention-title">
      <Title order={2} id="attention-title">
        Needs attention
      </Title>
      <ul className="plain-list">
        {attention.map((item) => (
          <li key={keyOf(item)}>
            <Group gap="sm" justify="space-between">
              <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 260px">
                <Icon name={ICONS[item.kind]} />
                <Text className="breaks">
                  <Sentence item={item} />
                </Text>
              </Group>
              <Remedy item={item} />
            </Group>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function keyOf(item: Attention): string {
  if (item.kind === "errors") return item.kind;
  return `${item.kind}:${item.token.id}${item.kind === "version" ? `:${item.version}` : ""}`;
}

function Sentence({ item }: { readonly item: Attention }) {
  if (item.kind === "errors") {
    return (
      <>
        {formatShare(item.share)} of today's requests were refused, {formatNumber(item.count)} with error {item.error}:{" "}
        {errorMeaning(item.error)}. {errorHelp(item.error)}
      </>
    );
  }
  const { token } = item;
  const name = <bdi>{token.name}</bdi>;
  if (item.kind === "version") {
    return (
      <>
        {name} calls version {item.version} of the API, which is deprecated
        {item.ends_at && (
          <>
            {" "}
            and ends <RelativeTime at={item.ends_at} />
          </>
        )}
        : {counted(item.requests, "request")} in the last 30 days.
      </>
    );
  }
  if (item.kind === "expiring" && token.expires_at) {
    return (
      <>
        {name} expires <RelativeTime at={token.expires_at} />.
      </>
    );
  }
  if (!token.last_used_at) {
    return (
      <>
        {name} was created <RelativeTime at={token.created_at} /> and never used.
      </>
    );
  }
  return (
    <>
      {name} was last used <RelativeTime at={token.last_used_at} />.
    </>
  );
}

function Remedy({ item }: { readonly item: Attention }) {
  if (item.kind === "version") {
    // A page of the service, not of the dashboard.
    return (
      <Button component="a" href={`/docs/versions#${item.version}`} variant="default" size="xs">
        Show versions
      </Button>
    );
  }
  const [label, href] =
    item.kind === "errors"
      ? ["Show requests", `${DEVELOPER}/requests?error=${item.error}`]
      : item.kind === "expiring"
        ? ["Roll token", `${DEVELOPER}/tokens?token=${item.token.id}&do=roll`]
        : ["Revoke token", `${DEVELOPER}/tokens?token=${item.token.id}&do=revoke`];
  return (
    <Button component={Link} href={href} variant="default" size="xs">
      {label}
    </Button>
  );
}
