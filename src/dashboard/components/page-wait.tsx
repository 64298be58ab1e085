import { Skeleton, Stack } from "@mantine/core";

/** A skeleton in the shape of a page that is loading. */
export function PageWait() {
  return (
    <Stack gap="lg" p="md" aria-busy="true" className="late">
      <Skeleton h={34} w={180} />
      <Skeleton h={120} />
      <Skeleton h={220} />
    </Stack>
  );
}
