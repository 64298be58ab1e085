import { Anchor, Code, Group, Stack, Title } from "@mantine/core";
import { Link } from "wouter";
import { CopyButton } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details-list.tsx";
import { useSession } from "../session/session.ts";

/** The service's address, its versions, and links to its description. */
export function Addresses() {
  const { base_url, versions } = useSession();
  const address = `${base_url}/${versions.segment}`;
  return (
    <Stack component="section" className="panel" aria-labelledby="addresses-title">
      <Title order={2} id="addresses-title">
        Addresses
      </Title>
      <DetailsList
        rows={[
          [
            "Base address",
            <Group key="address" gap={4} wrap="nowrap">
              <Code className="breaks">{address}</Code>
              <CopyButton value={address} what="base address" compact />
            </Group>,
          ],
          ["API version", `${versions.interface}, at /${versions.segment}`],
          ["Plantstore", `version ${versions.service}`],
          [
            "Reference",
            <Anchor key="docs" component={Link} href="/docs" underline="always">
              Every request, answer and error
            </Anchor>,
          ],
          [
            "OpenAPI",
            <Anchor key="openapi" href="/openapi.json" underline="always">
              openapi.json
            </Anchor>,
          ],
        ]}
      />
    </Stack>
  );
}
