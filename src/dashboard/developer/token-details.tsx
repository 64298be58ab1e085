import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { DetailsList } from "../components/details-list.tsx";
import { Dialog } from "../components/dialog.tsx";
import { OptionalTime, RelativeTime } from "../components/relative-time.tsx";
import { accessOf } from "./token-access.ts";
import { TokenState } from "./token-state.tsx";
import { isReplaced } from "./tokens.ts";

export type TokenAction = "open" | "rename" | "roll" | "revoke";

interface TokenDetailsProps {
  readonly token: TokenRecord;
  readonly onAction: (action: TokenAction) => void;
  readonly onClose: () => void;
}

export function TokenDetails({ token, onAction, onClose }: TokenDetailsProps) {
  const active = token.state === "active";
  return (
    <Dialog opened onClose={onClose} title={<bdi>{token.name}</bdi>}>
      <Stack>
        <DetailsList
          rows={[
            ["State", <TokenState key="state" token={token} />],
            ["Token", <Code key="hint">{token.hint}</Code>],
            ["Access", accessOf(token)],
            ["Created", <RelativeTime key="created" at={token.created_at} />],
            ["Last used", <OptionalTime key="used" at={token.last_used_at} none="Never" />],
            ["Expires", <OptionalTime key="expires" at={token.expires_at} none="Never" />],
            ...(token.revoked_at
              ? [[active ? "Ends" : "Revoked", <RelativeTime key="ends" at={token.revoked_at} />] as const]
              : []),
          ]}
        />
        <Group gap="md">
          <Text size="sm">
            <Anchor component={Link} href={`/dashboard?token=${token.id}`} underline="always" inherit>
              Show its usage
            </Anchor>
          </Text>
          <Text size="sm">
            <Anchor
              component={Link}
              href={`/dashboard/developer/requests?token=${token.id}`}
              underline="always"
              inherit
            >
              Show its requests
            </Anchor>
          </Text>
        </Group>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onAction("rename")}>
            Rename
          </Button>
          {active && !isReplaced(token) && (
            <Button variant="default" onClick={() => onAction("roll")}>
              Roll
            </Button>
          )}
          {active && (
            <Button color="red" onClick={() => onAction("revoke")}>
              Revoke
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
