import { Center, Code, Collapse, Group, Menu, Stack, Text } from "@mantine/core";
import { useDeferredValue } from "react";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { SearchField, Select } from "../components/filters.tsx";
import { DataTable, EmptyState, List } from "../components/list.tsx";
import { MoreMenu } from "../components/menu-target.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { OptionalTime } from "../components/relative-time.tsx";
import { formatNumber } from "../text/numbers.ts";
import { CreateToken, useCreateToken } from "./create-token.tsx";
import { ACTION_LABELS, actionsOf, type TokenAction, TokenDialog } from "./token-dialogs.tsx";
import { accessOf, chosenTokens, TOKEN_ORDERS, TokenState, useTokens } from "./tokens.tsx";

const PAGE_ROWS = 20;

export default function TokensPage() {
  const create = useCreateToken();
  const tokens = useTokens();
  const [search, change] = useAddress();
  const text = search.get("find") ?? "";
  const order = search.get("order") ?? "";
  // The rows are drawn in parts, so that the page answers meanwhile.
  const listed = useDeferredValue(tokens.data, undefined);
  const opened = tokens.data?.find(({ id }) => id === search.get("token"));
  const action = Object.keys(ACTION_LABELS).find((each) => each === search.get("do")) as TokenAction | undefined;
  const open: OpenToken = ({ id }, chosen) => change({ token: id, do: chosen === "open" ? undefined : chosen });
  return (
    <>
      <PageTitle title="Tokens" text="A token lets a program act for your account. Give each program its own.">
        <Action kind="main" label="Create token" icon="plus" onClick={create.open} />
      </PageTitle>
      <Stack className="panel wide">
        {/* Shorter lists need no search. */}
        {((tokens.data?.length ?? 0) > 6 || text !== "") && (
          <Group>
            <SearchField
              label="Search tokens"
              value={text}
              onSearch={(find) => change({ find, shown: undefined }, { replace: true })}
            />
            <Select
              label="Order"
              choices={TOKEN_ORDERS}
              value={order}
              onChange={(chosen) => change({ order: chosen, shown: undefined }, { replace: true })}
            />
          </Group>
        )}
        <List
          query={tokens}
          rows={listed}
          shape={160}
          empty={
            <EmptyState title="No tokens yet" text="Create one to let a program add and read your plants.">
              <Action kind="main" label="Create token" onClick={create.open} />
            </EmptyState>
          }
        >
          {(rows) => <TokenTables tokens={chosenTokens(rows, text, order)} text={text} onOpen={open} />}
        </List>
        {opened && (
          <TokenDialog
            key={`${opened.id} ${action}`}
            token={opened}
            action={action ?? "open"}
            onAction={(chosen) => open(opened, chosen)}
            onClose={() => change({ token: undefined, do: undefined })}
          />
        )}
      </Stack>
      <CreateToken />
    </>
  );
}

type OpenToken = (token: TokenRecord, action?: TokenAction) => void;

interface TokenTablesProps {
  readonly tokens: readonly TokenRecord[];
  readonly text: string;
  readonly onOpen: OpenToken;
}

/** The active tokens, twenty more at a time; below them those that have ended, which fold away. */
function TokenTables({ tokens, text, onOpen }: TokenTablesProps) {
  const [search, change] = useAddress();
  const active = tokens.filter(({ state }) => state === "active");
  const ended = tokens.filter(({ state }) => state !== "active");
  const length = Math.max(PAGE_ROWS, Number(search.get("shown")) || 0);
  const shown = active.slice(0, length);
  const showEnded = search.get("ended") === "shown";
  return (
    <Stack>
      {tokens.length === 0 && <Text role="status">No results for “{text}”</Text>}
      {active.length > 0 && <TokenTable label="Active tokens" end="Expires" tokens={shown} onOpen={onOpen} />}
      {active.length > length && (
        <Center>
          <Action label="Show more" onClick={() => change({ shown: String(length + PAGE_ROWS) }, { replace: true })} />
        </Center>
      )}
      {ended.length > 0 && (
        <>
          <Action
            kind="quiet"
            label={`${showEnded ? "Hide" : "Show"} revoked and expired (${formatNumber(ended.length)})`}
            icon={showEnded ? "fold" : "unfold"}
            aria-expanded={showEnded}
            onClick={() => change({ ended: showEnded ? undefined : "shown" }, { replace: true })}
            px={10}
            style={{ alignSelf: "flex-start" }}
          />
          <Collapse expanded={showEnded} keepMounted={false}>
            <TokenTable label="Revoked and expired tokens" end="Ended" tokens={ended} onOpen={onOpen} />
          </Collapse>
        </>
      )}
    </Stack>
  );
}

interface TokenTableProps extends Omit<TokenTablesProps, "text"> {
  readonly label: string;
  readonly end: "Expires" | "Ended";
}

/** A table of tokens, which on narrow screens shows the last columns below the name. */
function TokenTable({ label, end, tokens, onOpen }: TokenTableProps) {
  return (
    <DataTable
      label={label}
      className="tokens-table"
      layout="fixed"
      verticalSpacing="sm"
      rows={tokens}
      keyOf={({ id }) => id}
      onOpen={onOpen}
      columns={[
        {
          title: "Name",
          w: { sm: "24%" },
          name: ({ name }) => name,
          wraps: true,
          remark: { of: ({ hint }) => hint, mono: true, hiddenFrom: "sm" },
        },
        { title: "Token", visibleFrom: "sm", cell: ({ hint }) => <Code style={{ whiteSpace: "nowrap" }}>{hint}</Code> },
        { title: "Access", visibleFrom: "md", cell: accessOf },
        { title: "Last used", visibleFrom: "sm", cell: (token) => <OptionalTime at={token.last_used_at} /> },
        { title: end, visibleFrom: "md", cell: (token) => <OptionalTime at={token.revoked_at ?? token.expires_at} /> },
        { title: "State", w: { base: 92, xs: 124 }, cell: (token) => <TokenState token={token} /> },
        { title: "", w: { base: 42, xs: 56 }, ta: "end", cell: (token) => <TokenMenu token={token} onOpen={onOpen} /> },
      ]}
    />
  );
}

function TokenMenu({ token, onOpen }: { readonly token: TokenRecord; readonly onOpen: OpenToken }) {
  const color = (action: TokenAction) => (action === "revoke" ? "var(--mantine-color-error)" : undefined);
  return (
    <MoreMenu size="lg" width={160} label={`Actions for ${token.name}`}>
      {(["open", ...actionsOf(token)] as const).map((action) => (
        <Menu.Item key={action} onClick={() => onOpen(token, action)} c={color(action)}>
          {ACTION_LABELS[action]}
        </Menu.Item>
      ))}
    </MoreMenu>
  );
}
