import { Stack, Text } from "@mantine/core";
import type { AuditPage, AuditRecord } from "#contract/dashboard/audit.ts";
import { targetName } from "#contract/dashboard/audit-target.ts";
import { usePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Select } from "../components/filters.tsx";
import { type Column, EmptyState, TableList } from "../components/list.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { capitalized } from "../text/sentence.ts";

const ACTIONS = {
  "": "All actions",
  sign_in: "Sign-ins",
  session: "Sessions",
  password: "Password",
  second_factor: "Two-factor",
  passkey: "Passkeys",
  token: "Tokens",
  webhook: "Webhooks",
  export: "Exports",
  backup: "Backups",
  settings: "Profile",
  account: "Account",
};

const COLUMNS: readonly Column<AuditRecord>[] = [
  {
    title: "Action",
    className: "breaks",
    cell: (record) => (
      <>
        {actionText(record.action)}
        <Text size="sm">
          <bdi>{targetName(record)}</bdi>
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {record.target}
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
  const entries = usePages<AuditPage>("/audit", action ? { action } : {});
  return (
    <>
      <PageTitle
        title="Security log"
        text="Sign-ins and changes to the security of your account. Entries cannot be edited."
      >
        <Select label="Action" choices={ACTIONS} value={action} onChange={(chosen) => change({ action: chosen })} />
      </PageTitle>
      <Stack className="panel wide">
        <TableList
          {...entries}
          empty={<EmptyState title="No entries" text="Nothing of this kind has happened." />}
          label="Security log"
          verticalSpacing="sm"
          columns={COLUMNS}
          keyOf={({ id }) => id}
        />
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
