import { Button, Center, NativeSelect, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import type { AuditPage, AuditRecord } from "#contract/dashboard/audit.ts";
import { targetName } from "#contract/dashboard/audit-target.ts";
import { EmptyState } from "../empty-state.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { useService } from "../page-context.tsx";
import { PageTitle } from "../page-title.tsx";
import { RelativeTime } from "../relative-time.tsx";
import { capitalized } from "../sentence.ts";

const ACTIONS = [
  { value: "", label: "All actions" },
  { value: "sign_in", label: "Sign-ins" },
  { value: "session", label: "Sessions" },
  { value: "password", label: "Password" },
  { value: "second_factor", label: "Two-factor" },
  { value: "passkey", label: "Passkeys" },
  { value: "token", label: "Tokens" },
  { value: "webhook", label: "Webhooks" },
  { value: "export", label: "Exports" },
  { value: "backup", label: "Backups" },
  { value: "settings", label: "Profile" },
  { value: "account", label: "Account" },
];

/** The audit log: sign-ins, and changes to the account. */
export default function SecurityLogPage() {
  const service = useService();
  const [search, setSearch] = useSearchParams();
  const action = search.get("action") ?? "";
  const log = useInfiniteQuery({
    queryKey: ["audit", action],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ ...(action ? { action } : {}), ...(pageParam ? { cursor: pageParam } : {}) });
      return service.api<AuditPage>("GET", `/audit?${query}`);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const records = log.data?.pages.flatMap(({ data }) => data);
  return (
    <>
      <PageTitle
        title="Security log"
        text="Sign-ins and changes to the security of your account. Entries cannot be edited."
      >
        <NativeSelect
          aria-label="Action"
          data={ACTIONS}
          value={action}
          onChange={(event) => setSearch(event.currentTarget.value ? { action: event.currentTarget.value } : {})}
        />
      </PageTitle>
      <Stack className="panel wide">
        <FailureNotice cause={log.error} retry={() => log.refetch()} />
        {log.isPending && <Skeleton h={240} className="late" />}
        {records?.length === 0 && <EmptyState order={2} title="No entries" text="Nothing of this kind has happened." />}
        {records && records.length > 0 && <AuditTable records={records} />}
        {log.hasNextPage && (
          <Center>
            <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              Show more
            </Button>
          </Center>
        )}
      </Stack>
    </>
  );
}

function AuditTable({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <Table aria-label="Security log" className="figures" verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Action</Table.Th>
          <Table.Th visibleFrom="sm">By</Table.Th>
          <Table.Th visibleFrom="sm">From</Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {records.map((record) => (
          <Table.Tr key={record.id}>
            <Table.Td className="breaks">
              {actionText(record.action)}
              {targetName(record) && (
                <Text size="sm">
                  <bdi>{targetName(record)}</bdi>
                </Text>
              )}
              {record.target && (
                <Text size="xs" c="dimmed" ff="monospace">
                  {record.target}
                </Text>
              )}
            </Table.Td>
            <Table.Td visibleFrom="sm" className="breaks">
              <bdi>{actorText(record.actor)}</bdi>
            </Table.Td>
            <Table.Td visibleFrom="sm" className="breaks">
              {[record.device, record.address].filter(Boolean).join(", ")}
            </Table.Td>
            <Table.Td>
              <RelativeTime at={record.at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** "sign_in.second_factor_failed" as "Sign-in second factor failed". */
export function actionText(action: string): string {
  const said = action.replace(/^sign_in/, "sign-in").replaceAll(/[_.]/g, " ");
  return capitalized(said);
}

function actorText({ kind, name }: AuditRecord["actor"]): string {
  if (kind === "session") return name || "You";
  if (kind === "operator") return "The operator";
  return kind === "system" ? "Plantstore" : `Token ${name}`;
}
