import { NativeSelect, Stack, Text } from "@mantine/core";
import type { AuditPage, AuditRecord } from "#contract/dashboard/audit.ts";
import { usePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { type Column, DataTable, List } from "../components/list.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { capitalized } from "../text/sentence.ts";

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

const COLUMNS: readonly Column<AuditRecord>[] = [
  {
    title: "Action",
    className: "breaks",
    cell: ({ action, target }) => (
      <>
        {actionText(action)}
        <Text size="xs" c="dimmed" ff="monospace">
          {target}
        </Text>
      </>
    ),
  },
  { title: "By", visibleFrom: "sm", className: "breaks", cell: ({ actor }) => <bdi>{actorText(actor)}</bdi> },
  {
    title: "From",
    visibleFrom: "sm",
    className: "breaks",
    cell: ({ device, address }) => [device, address].filter(Boolean).join(", "),
  },
  { title: "When", cell: ({ at }) => <RelativeTime at={at} /> },
];

/** The audit log: sign-ins, and changes to the account. */
export default function SecurityLogPage() {
  const [search, change] = useAddress();
  const action = search.get("action") ?? "";
  const { query, rows } = usePages<AuditPage>("/audit", action ? { action } : {});
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
          onChange={({ currentTarget }) => change({ action: currentTarget.value || undefined })}
        />
      </PageTitle>
      <Stack className="panel wide">
        <List
          query={query}
          rows={rows}
          empty={<EmptyState title="No entries" text="Nothing of this kind has happened." />}
        >
          {(records) => (
            <DataTable
              label="Security log"
              verticalSpacing="sm"
              columns={COLUMNS}
              rows={records}
              keyOf={({ id }) => id}
            />
          )}
        </List>
      </Stack>
    </>
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
