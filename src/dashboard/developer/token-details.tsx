import { Anchor, Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { TokenRecord } from "#contract/dashboard.ts";
import { DetailsList } from "../details-list.tsx";
import { HOME } from "../home.ts";
import { RelativeTime } from "../relative-time.tsx";
import type { TokenAction } from "./open-token.ts";
import { accessOf } from "./token-access.ts";
import { TokenState } from "./token-state.tsx";

interface TokenDetailsProps {
  readonly token: TokenRecord;
  readonly onAction: (action: TokenAction) => void;
  readonly onClose: () => void;
}

export function TokenDetails({ token, onAction, onClose }: TokenDetailsProps) {
  const active = token.state === "active";
  return (
    <Modal opened onClose={onClose} title={token.name}>
      <Stack>
        <DetailsList
          rows={[
            ["State", <TokenState key="state" token={token} />],
            ["Token", <Code key="hint">{token.hint}</Code>],
            ["Access", accessOf(token)],
            ["Made", <RelativeTime key="made" at={token.created_at} />],
            ["Last used", <Time key="used" at={token.last_used_at} none="never" />],
            ["Expires", <Time key="expires" at={token.expires_at} none="never" />],
            ...(token.revoked_at
              ? [["Ends by revoking", <RelativeTime key="ends" at={token.revoked_at} />] as const]
              : []),
          ]}
        />
        <Text size="sm">
          <Anchor component={Link} href={`${HOME}?token=${token.id}`} underline="always" inherit>
            What was done with it
          </Anchor>
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onAction("rename")}>
            Rename
          </Button>
          {active && (
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
    </Modal>
  );
}

export function Time({ at, none }: { readonly at: string | null; readonly none: string }) {
  return at === null ? none : <RelativeTime at={at} />;
}
