import { Box, Center, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { ConnectionBar } from "../frame/connection-bar.tsx";
import icon from "../icon.svg";

/** One column, for who is not in yet. */
export function Entrance({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <title>{`${title} · Plantstore`}</title>
      <Box w="100%" maw={400}>
        <ConnectionBar />
        <Stack className="panel" gap="lg">
          <Stack gap="xs" align="center">
            <img src={icon} alt="" width={44} height={44} />
            <Title order={1} ta="center">
              {title}
            </Title>
          </Stack>
          {children}
        </Stack>
      </Box>
    </Center>
  );
}
