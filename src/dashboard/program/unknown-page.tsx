import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { PageTitle } from "../components/page-title.tsx";

export default function UnknownPage() {
  return (
    <>
      <PageTitle title="Page not found" />
      <Text>
        The address may be mistyped.{" "}
        <Anchor component={Link} href="/dashboard" underline="always">
          Go to the Overview
        </Anchor>
      </Text>
    </>
  );
}
