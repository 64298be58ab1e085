import { Alert, Stack, Text } from "@mantine/core";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { PLANTS_KEY } from "./plant-data.ts";

/** How many stores are searched, more than a reader has in practice. */
const STORES_MAX = 20;

/** Offers the reader's other store that has an id unknown here, since old labels name no store. */
export function PlantElsewhere({ id }: { readonly id: bigint }) {
  const { store, stores } = useSession();
  const others = stores.filter((each) => each.id !== store?.id).slice(0, STORES_MAX);
  const found = useAnswer(
    [PLANTS_KEY, "elsewhere", String(id)],
    async ({ origin, send }, signal) => {
      for (const other of others) {
        const headers = { "Plantstore-Account": other.id };
        const answer = await send(`${origin}/dashboard/api/v1/plants/${id}`, { headers, cache: "no-store", signal });
        if (answer.ok) return other;
      }
      return null;
    },
    { enabled: others.length > 0 },
  ).data;
  if (!found) return null;
  return (
    <Alert color="yellow" role="status" mb="md">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <bdi translate="no">{found.name}</bdi>, another store of yours, has a plant with this id.
        </Text>
        <Action label="Show it there" size="xs" outside href={`${PLANTS}/${id}?store=${found.id}`} />
      </Stack>
    </Alert>
  );
}
