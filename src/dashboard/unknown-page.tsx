import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { HOME } from "./home.ts";
import { PageTitle } from "./page-title.tsx";

export default function UnknownPage() {
  return (
    <>
      <PageTitle title="There is no such page" />
      <Text>
        The address may be mistyped.{" "}
        <Anchor component={Link} href={HOME} underline="always">
          Go to the overview
        </Anchor>
      </Text>
    </>
  );
}
