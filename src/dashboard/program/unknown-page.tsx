import { Text } from "@mantine/core";
import { PageLink } from "../components/page-link.tsx";
import { PageTitle } from "../components/page-title.tsx";

export default function UnknownPage() {
  return (
    <>
      <PageTitle title="Page not found" />
      <Text>
        The address may be mistyped. <PageLink href="/dashboard">Go to the Overview</PageLink>
      </Text>
    </>
  );
}
