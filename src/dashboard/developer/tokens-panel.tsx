import {
  Button,
  Collapse,
  Group,
  NativeSelect,
  Pagination,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useSearchParams } from "wouter";
import { EmptyState } from "../empty-state.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { formatNumber } from "../numbers.ts";
import type { TokenAction } from "./open-token.ts";
import { chosenTokens, TOKEN_ORDERS, tokenOrder } from "./token-order.ts";
import { TokenTable } from "./token-table.tsx";
import { useTokens } from "./tokens.ts";

const PAGE_LENGTH = 20;
/** Fewer need no search. */
const LONG_LIST_LENGTH = 6;

interface TokensPanelProps {
  readonly onAction: (id: string, action: TokenAction) => void;
  /** Left out where another button makes the first token. */
  readonly onMake: (() => void) | undefined;
}

export function TokensPanel({ onAction, onMake }: TokensPanelProps) {
  const tokens = useTokens();
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        if (name !== "page") after.delete("page");
        return after;
      },
      { replace: true },
    );
  const text = search.get("find") ?? "";
  const chosen = chosenTokens(tokens.data ?? [], text, tokenOrder(search.get("order")));
  const active = chosen.filter(({ state }) => state === "active");
  const ended = chosen.filter(({ state }) => state !== "active");
  const pages = Math.max(1, Math.ceil(active.length / PAGE_LENGTH));
  const page = Math.min(Math.max(1, Number(search.get("page")) || 1), pages);
  const showEnded = search.get("ended") === "shown";
  return (
    <Stack component="section" className="panel" aria-labelledby="tokens-title">
      <Title order={2} id="tokens-title">
        Tokens
      </Title>
      <FailureNotice cause={tokens.error} retry={() => tokens.refetch()} />
      {tokens.isPending && <Skeleton h={160} className="late" />}
      {tokens.data?.length === 0 && (
        <EmptyState title="No tokens yet" text="A token lets a program add and read your plants.">
          {onMake && <Button onClick={onMake}>Make a token</Button>}
        </EmptyState>
      )}
      {(tokens.data?.length ?? 0) > LONG_LIST_LENGTH && (
        <Group>
          <TextInput
            aria-label="Search the tokens"
            placeholder="Search the tokens"
            type="search"
            leftSection={<Icon name="search" size={16} />}
            value={text}
            onChange={(event) => set("find", event.currentTarget.value)}
            flex="1 1 200px"
          />
          <NativeSelect
            aria-label="Order of the tokens"
            data={[...TOKEN_ORDERS]}
            value={tokenOrder(search.get("order"))}
            onChange={(event) => set("order", event.currentTarget.value)}
          />
        </Group>
      )}
      {text !== "" && chosen.length === 0 && <Text role="status">No token has “{text}” in its name.</Text>}
      {active.length > 0 && (
        <TokenTable
          label="Active tokens"
          tokens={active.slice((page - 1) * PAGE_LENGTH, page * PAGE_LENGTH)}
          onAction={onAction}
        />
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={(to) => set("page", String(to))}
          getControlProps={(control) => ({ "aria-label": `${control} page` })}
          getItemProps={(item) => ({ "aria-label": `Page ${item}` })}
        />
      )}
      {ended.length > 0 && (
        <>
          <Button
            variant="subtle"
            color="gray"
            aria-expanded={showEnded}
            onClick={() => set("ended", showEnded ? "" : "shown")}
            style={{ alignSelf: "flex-start" }}
          >
            {showEnded ? "Hide" : "Show"} revoked and expired ({formatNumber(ended.length)})
          </Button>
          <Collapse expanded={showEnded} keepMounted={false}>
            <TokenTable label="Revoked and expired tokens" tokens={ended} onAction={onAction} />
          </Collapse>
        </>
      )}
    </Stack>
  );
}
