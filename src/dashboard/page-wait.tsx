import { Skeleton, Stack } from "@mantine/core";

/** In the shape of a page that is on its way. */
export function PageWait() {
  return (
    <Stack gap="lg" p="md" aria-busy="true" className="late">
      <Skeleton h={34} w={180} />
      <Skeleton h={120} />
      <Skeleton h={220} />
    </Stack>
  );
}
