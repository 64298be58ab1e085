import { Anchor, Code, Group, Stack, Title } from "@mantine/core";
import { CopyButton } from "../copy-button.tsx";
import { DetailsList } from "../details-list.tsx";
import { useSession } from "../session/session.ts";

/** Where the service is, which versions it speaks, and where it is described. */
export function AddressesPanel() {
  const { base_url, versions } = useSession();
  const address = `${base_url}/${versions.segment}`;
  return (
    <Stack component="section" className="panel" aria-labelledby="addresses-title">
      <Title order={2} id="addresses-title">
        Address and reference
      </Title>
      <DetailsList
        rows={[
          [
            "Base address",
            <Group key="address" gap="xs">
              <Code>{address}</Code>
              <CopyButton value={address} what="base address" compact />
            </Group>,
          ],
          ["Interface", `version ${versions.interface}, at /${versions.segment}`],
          ["Service", `version ${versions.service}`],
          [
            "Reference",
            <Anchor key="docs" href="/docs">
              Every request and answer
            </Anchor>,
          ],
          [
            "OpenAPI",
            <Anchor key="openapi" href="/openapi.json">
              openapi.json
            </Anchor>,
          ],
        ]}
      />
    </Stack>
  );
}
