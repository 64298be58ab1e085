import { Box, Center, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { ConnectionBar } from "../components/connection-bar.tsx";
import icon from "../program/icon.svg";

/** One column, for readers who are not signed in. */
export function Entrance({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <title>{`${title} · Plantstore`}</title>
      <Box w="100%" maw={400}>
        <ConnectionBar />
        <Stack className="panel" p={{ base: "md", xs: "xl" }} gap="lg">
          <Stack gap={6} align="center" ta="center">
            <img src={icon} alt="" width={44} height={44} />
            <Title order={1}>{title}</Title>
          </Stack>
          {children}
        </Stack>
      </Box>
    </Center>
  );
}
