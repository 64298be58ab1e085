import type { People, PersonRecord } from "#contract/dashboard/people.ts";
import type { Role } from "#contract/dashboard/role.ts";
import { useAnswer } from "../api/asking.ts";
import type { RadiosProps } from "../components/filters.tsx";
import { useMay, useSession } from "../session/session.ts";

export const PEOPLE = "people";
export const PEOPLE_DATA = [PEOPLE, "session"];

export const ROLES: RadiosProps<Role>["choices"] = {
  viewer: { label: "Viewer", meaning: "Sees the plants and what happened to them, and changes nothing" },
  editor: { label: "Editor", meaning: "Also adds, changes, imports and removes plants" },
  developer: { label: "Developer", meaning: "Also connects programs, and sees what they ask" },
  owner: { label: "Owner", meaning: "Also invites and removes people, and decides about the store" },
};

export function usePeople(enabled = true) {
  const may = useMay();
  return useAnswer([PEOPLE], (service) => service.api<People>("GET", "/people"), {
    enabled: enabled && may("see people"),
    // An invited person may join while the page is open.
    refetchInterval: 10_000,
  });
}

/** True for the only owner, without whom the store would have none. */
export function isLastOwner(person: Pick<PersonRecord, "id" | "role">, people: readonly PersonRecord[]): boolean {
  return person.role === "owner" && !people.some(({ id, role }) => role === "owner" && id !== person.id);
}

export function PersonName({ id }: { readonly id: string }) {
  const { account } = useSession();
  const people = usePeople(id !== account.id).data?.people;
  if (id === account.id) return "You";
  if (!people) return "…";
  const person = people.find((each) => each.id === id);
  return person ? <bdi translate="no">{person.name}</bdi> : "Somebody who no longer belongs to this store";
}
