import { Alert, Code, Group, Loader, Stack, Text } from "@mantine/core";
import type { FirstRequest } from "#contract/dashboard/overview.ts";
import { DetailsList } from "../components/details-list.tsx";
import { Icon } from "../components/icon.tsx";
import { errorMeaning } from "./error-help.ts";

/** Shows "Waiting for your first request" until a plant has arrived. */
export function Arrival({ arrived }: { readonly arrived: FirstRequest | undefined }) {
  return (
    <div role="status">
      {arrived?.plant ? (
        <ArrivedPlant plant={arrived.plant} />
      ) : (
        <Stack gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Loader size="sm" type="dots" aria-hidden="true" />
            <Text>Waiting for your first request…</Text>
          </Group>
          {arrived?.refused && (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              A request arrived, and was refused with {arrived.refused.error}: {errorMeaning(arrived.refused.error)}.
            </Alert>
          )}
        </Stack>
      )}
    </div>
  );
}

function ArrivedPlant({ plant }: { readonly plant: NonNullable<FirstRequest["plant"]> }) {
  return (
    <Alert color="leaf" icon={<Icon name="check" />} title="Your plant arrived">
      <DetailsList
        rows={[
          ["Id", <Code key="id">{plant.id}</Code>],
          ["Name", <bdi key="name">{plant.name}</bdi>],
          ...(plant.tag === undefined ? [] : [["Tag", <bdi key="tag">{plant.tag}</bdi>] as const]),
        ]}
      />
    </Alert>
  );
}
