import { Box, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { saveFile } from "../browser/save-file.ts";
import { Action } from "../components/action.tsx";
import { PLANTS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";

const SAMPLE = "id,name,tag\n1,Monstera deliciosa,indoor\n2,Ficus benjamina,indoor\n3,Lavandula angustifolia,garden\n";

/** The ways to the first plants of a store, a file first. `program` is the address of the quick start. */
export function WaysIn({ program }: { readonly program: string }) {
  const may = useMay();
  return (
    <Box
      component="section"
      className="fitting"
      w="100%"
      ta="left"
      __vars={{ "--narrowest": "220px", "--gap": "16px" }}
      aria-label="Ways to add plants"
    >
      <Way
        title="Import a file"
        text="A table from Excel or saved as CSV, with any names of columns. You see its first rows before anything is added."
      >
        <Action kind="main" label="Import a file" href={`${PLANTS}?open=import`} />
        <Action kind="quiet" label="Get a sample" onClick={() => saveFile(SAMPLE, "plants.csv", "text/csv")} />
      </Way>
      <Way title="Add one by hand" text="Type its name. The next free id is suggested.">
        <Action label="Add plant" href={`${PLANTS}?open=add`} />
      </Way>
      {may("use tokens") && (
        <Way title="Let a program do it" text="Create a token, and send each plant with one request.">
          <Action label="Quick start" href={program} />
        </Way>
      )}
    </Box>
  );
}

function Way({ title, text, children }: Record<"title" | "text", string> & { readonly children: ReactNode }) {
  return (
    <Stack className="panel" gap="sm" align="flex-start">
      <Title order={2} size="h3">
        {title}
      </Title>
      <Text variant="remark" flex={1}>
        {text}
      </Text>
      <Group gap={4}>{children}</Group>
    </Stack>
  );
}
