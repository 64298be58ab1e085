import { Radio, Stack } from "@mantine/core";
import { ROLES, type Role } from "#contract/dashboard/role.ts";
import { capitalized } from "../text/sentence.ts";

const MEANINGS: Readonly<Record<Role, string>> = {
  viewer: "Sees figures, plants and events, and changes nothing",
  editor: "Also adds, changes, imports and removes plants",
  developer: "Also makes tokens, and sees requests and webhooks",
  owner: "Also invites and removes people, and decides about the store",
};

interface RoleFieldProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  /** True where it is the first field to be changed. */
  readonly isFirst: boolean;
}

export function RoleField({ value, onChange, isFirst }: RoleFieldProps) {
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role as Role)}>
      <Stack gap="xs" mt={6}>
        {ROLES.map((role) => (
          <Radio
            key={role}
            value={role}
            label={capitalized(role)}
            description={MEANINGS[role]}
            data-autofocus={(isFirst && role === value) || undefined}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
