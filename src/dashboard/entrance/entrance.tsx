import { Box, Center, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Welcome } from "#contract/dashboard/account.ts";
import { useAnswer } from "../api/asking.ts";
import { ConnectionBar } from "../components/connection-bar.tsx";
import icon from "../program/icon.svg";

/** The service's words to readers who are not signed in, and to who has a link with that code. */
export function useWelcome(code = "") {
  const path = `/welcome?code=${encodeURIComponent(code)}`;
  return useAnswer(["welcome", code], (service) => service.api<Welcome>("GET", path));
}

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
