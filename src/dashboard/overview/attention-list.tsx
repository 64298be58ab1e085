import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Attention } from "#contract/dashboard.ts";
import { errorMeaning } from "../developer/error-meaning.ts";
import { Icon, type IconName } from "../icon.tsx";
import { formatNumber, formatShare } from "../numbers.ts";
import { RelativeTime } from "../relative-time.tsx";

const ICONS: Readonly<Record<Attention["kind"], IconName>> = { expiring: "clock", unused: "key", errors: "warning" };

/** What somebody should look at; nothing at all if there is nothing. */
export function AttentionList({ attention }: { readonly attention: readonly Attention[] }) {
  if (attention.length === 0) return null;
  return (
    <Stack component="section" className="panel" aria-labelledby="attention-title">
      <Title order={2} id="attention-title">
        Needs attention
      </Title>
      <ul className="plain-list">
        {attention.map((item) => (
          <li key={item.kind === "errors" ? "errors" : `${item.kind}:${item.token.id}`}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <Icon name={ICONS[item.kind]} />
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {sentence(item)}
              </Text>
            </Group>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function sentence(item: Attention): ReactNode {
  if (item.kind === "errors") {
    return (
      <>
        {formatShare(item.share)} of today's requests were refused, {formatNumber(item.count)} of them with {item.error}
        : {errorMeaning(item.error)}.
      </>
    );
  }
  const { token } = item;
  const name = (
    <Anchor component={Link} href={`/developer?token=${token.id}`} underline="always">
      {token.name}
    </Anchor>
  );
  if (item.kind === "expiring" && token.expires_at) {
    return (
      <>
        {name} expires <RelativeTime at={token.expires_at} />. Roll it, so that what uses it goes on.
      </>
    );
  }
  return token.last_used_at ? (
    <>
      {name} was last used <RelativeTime at={token.last_used_at} />. Revoke it if nothing needs it.
    </>
  ) : (
    <>
      {name} was never used since it was made <RelativeTime at={token.created_at} />. Revoke it if nothing needs it.
    </>
  );
}
