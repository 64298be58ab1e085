import {
  ActionIcon,
  Button,
  Code,
  Collapse,
  Group,
  Menu,
  NativeSelect,
  Pagination,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { useDeferredValue } from "react";
import { useSearchParams } from "wouter";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { useFocusReturn } from "../browser/focus-return.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { OptionalTime } from "../components/relative-time.tsx";
import { formatNumber } from "../text/numbers.ts";
import { CreateToken, useCreateToken } from "./create-token.tsx";
import { RenameToken } from "./rename-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";
import { RollToken } from "./roll-token.tsx";
import { accessOf } from "./token-access.ts";
import { type TokenAction, TokenDetails } from "./token-details.tsx";
import { chosenTokens, TOKEN_ORDERS, tokenOrder } from "./token-order.ts";
import { TokenState } from "./token-state.tsx";
import { isReplaced, useTokens } from "./tokens.ts";

const PAGE_LENGTH = 20;
/** Shorter lists need no search. */
const LONG_LIST_LENGTH = 6;
const ACTIONS: readonly TokenAction[] = ["open", "rename", "roll", "revoke"];

export default function TokensPage() {
  const create = useCreateToken();
  return (
    <>
      <PageTitle title="Tokens" text="A token lets a program act for your account. Give each program its own.">
        <Button leftSection={<Icon name="plus" />} onClick={create.open}>
          Create token
        </Button>
      </PageTitle>
      <TokensPanel onCreate={create.open} />
      <CreateToken />
    </>
  );
}

/** The address includes the search, the order, the page and the open token. */
function TokensPanel({ onCreate }: { readonly onCreate: () => void }) {
  const tokens = useTokens();
  const [search, set] = useTokensAddress();
  const text = search.get("find") ?? "";
  // The rows are drawn in parts, so that the page answers meanwhile.
  const listed = useDeferredValue(tokens.data, undefined);
  const chosen = chosenTokens(listed ?? [], text, tokenOrder(search.get("order")));
  const active = chosen.filter(({ state }) => state === "active");
  const ended = chosen.filter(({ state }) => state !== "active");
  const pages = Math.max(1, Math.ceil(active.length / PAGE_LENGTH));
  const page = Math.min(Math.max(1, Number(search.get("page")) || 1), pages);
  const showEnded = search.get("ended") === "shown";
  const open = (token: string, action: TokenAction) => set({ token, do: action === "open" ? "" : action });
  return (
    <Stack className="panel wide">
      <FailureNotice cause={tokens.error} retry={() => tokens.refetch()} />
      {!listed && !tokens.error && <Skeleton h={160} className="late" />}
      {listed?.length === 0 && (
        <EmptyState order={2} title="No tokens yet" text="Create one to let a program add and read your plants.">
          <Button onClick={onCreate}>Create token</Button>
        </EmptyState>
      )}
      {((tokens.data?.length ?? 0) > LONG_LIST_LENGTH || text !== "") && (
        <Group>
          <TextInput
            aria-label="Search tokens"
            placeholder="Search tokens"
            type="search"
            data-page-search
            leftSection={<Icon name="search" size={16} />}
            value={text}
            onChange={(event) => set({ find: event.currentTarget.value, page: "" })}
            flex="1 1 200px"
          />
          <NativeSelect
            aria-label="Order"
            data={[...TOKEN_ORDERS]}
            value={tokenOrder(search.get("order"))}
            onChange={(event) => set({ order: event.currentTarget.value, page: "" })}
          />
        </Group>
      )}
      {text !== "" && chosen.length === 0 && <Text role="status">No results for “{text}”</Text>}
      {active.length > 0 && (
        <TokenTable
          label="Active tokens"
          end="Expires"
          tokens={active.slice((page - 1) * PAGE_LENGTH, page * PAGE_LENGTH)}
          onAction={open}
        />
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={(to) => set({ page: String(to) })}
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
            onClick={() => set({ ended: showEnded ? "" : "shown" })}
            px={10}
            leftSection={<Icon name={showEnded ? "fold" : "unfold"} size={16} />}
            style={{ alignSelf: "flex-start" }}
          >
            {showEnded ? "Hide" : "Show"} revoked and expired ({formatNumber(ended.length)})
          </Button>
          <Collapse expanded={showEnded} keepMounted={false}>
            <TokenTable label="Revoked and expired tokens" end="Ended" tokens={ended} onAction={open} />
          </Collapse>
        </>
      )}
      <OpenToken
        token={tokens.data?.find(({ id }) => id === search.get("token"))}
        action={ACTIONS.find((action) => action === search.get("do")) ?? "open"}
        onAction={open}
        onClose={() => set({ token: "", do: "" })}
      />
    </Stack>
  );
}

function useTokensAddress() {
  const [search, setSearch] = useSearchParams();
  const set = (change: Readonly<Record<string, string>>) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(change)) {
          if (value) after.set(name, value);
          else after.delete(name);
        }
        return after;
      },
      { replace: !("token" in change) },
    );
  return [search, set] as const;
}

interface OpenTokenProps {
  readonly token: TokenRecord | undefined;
  readonly action: TokenAction;
  readonly onAction: (id: string, action: TokenAction) => void;
  readonly onClose: () => void;
}

function OpenToken({ token, ...props }: OpenTokenProps) {
  return token ? <TokenDialog token={token} {...props} /> : null;
}

/** The dialog that the address asks for. An ended token can only be viewed and renamed. */
function TokenDialog({ token, action, onAction, onClose }: OpenTokenProps & { readonly token: TokenRecord }) {
  useFocusReturn();
  const active = token.state === "active";
  if (action === "rename") return <RenameToken key={token.id} token={token} onClose={onClose} />;
  if (action === "roll" && active) return <RollToken key={token.id} token={token} onClose={onClose} />;
  if (action === "revoke" && active) return <RevokeToken token={token} onClose={onClose} />;
  return <TokenDetails token={token} onAction={(chosen) => onAction(token.id, chosen)} onClose={onClose} />;
}

interface TokenTableProps {
  readonly label: string;
  /** The heading of the time at which a token's life ends or ended. */
  readonly end: "Expires" | "Ended";
  readonly tokens: readonly TokenRecord[];
  readonly onAction: (id: string, action: TokenAction) => void;
}

/** On narrow screens the columns that do not fit are shown below the name. */
function TokenTable({ label, end, tokens, onAction }: TokenTableProps) {
  return (
    <Table aria-label={label} className="figures tokens-table" verticalSpacing="sm" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Token</Table.Th>
          <Table.Th visibleFrom="md">Access</Table.Th>
          <Table.Th visibleFrom="sm">Last used</Table.Th>
          <Table.Th visibleFrom="md">{end}</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map((token) => (
          <Table.Tr key={token.id}>
            <Table.Td>
              <UnstyledButton className="row-link" dir="auto" onClick={() => onAction(token.id, "open")}>
                {token.name}
              </UnstyledButton>
              <Text size="xs" c="dimmed" hiddenFrom="sm" ff="monospace" className="cut">
                {token.hint}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Code>{token.hint}</Code>
            </Table.Td>
            <Table.Td visibleFrom="md">{accessOf(token)}</Table.Td>
            <Table.Td visibleFrom="sm">
              <OptionalTime at={token.last_used_at} none="Never" />
            </Table.Td>
            <Table.Td visibleFrom="md">
              <OptionalTime at={token.revoked_at ?? token.expires_at} none="Never" />
            </Table.Td>
            <Table.Td>
              <TokenState token={token} />
            </Table.Td>
            <Table.Td ta="end">
              <TokenMenu token={token} onChosen={(action) => onAction(token.id, action)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface TokenMenuProps {
  readonly token: TokenRecord;
  readonly onChosen: (action: TokenAction) => void;
}

function TokenMenu({ token, onChosen }: TokenMenuProps) {
  const active = token.state === "active";
  return (
    <Menu position="bottom-end" width={160} keepMounted={false}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${token.name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChosen("open")}>Details</Menu.Item>
        <Menu.Item onClick={() => onChosen("rename")}>Rename</Menu.Item>
        {active && !isReplaced(token) && <Menu.Item onClick={() => onChosen("roll")}>Roll</Menu.Item>}
        {active && (
          <Menu.Item onClick={() => onChosen("revoke")} c="var(--mantine-color-error)">
            Revoke
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
