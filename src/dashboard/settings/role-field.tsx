import type { Role } from "#contract/dashboard/role.ts";
import { Radios, type RadiosProps } from "../components/filters.tsx";

const ROLES: RadiosProps<Role>["choices"] = {
  viewer: { label: "Viewer", meaning: "Sees figures, plants and events, and changes nothing" },
  editor: { label: "Editor", meaning: "Also adds, changes, imports and removes plants" },
  developer: { label: "Developer", meaning: "Also makes tokens, and sees requests and webhooks" },
  owner: { label: "Owner", meaning: "Also invites and removes people, and decides about the store" },
};

export function RoleField(props: Pick<RadiosProps<Role>, "value" | "onChange" | "isFirst">) {
  return <Radios {...props} label="Role" choices={ROLES} />;
}
