import { Box, Group, Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { CopyButton } from "../copy-button.tsx";
import type { Example } from "./examples.ts";

/** The same request in each language; the chosen one is remembered. */
export function ExampleBlock({ examples }: { readonly examples: readonly Example[] }) {
  const [language, setLanguage] = useLocalStorage({ key: "plantstore-language", defaultValue: "curl" });
  const shown = examples.find((example) => example.language === language) ?? examples[0];
  if (!shown) return null;
  return (
    <Tabs value={shown.language} onChange={(chosen) => setLanguage(chosen ?? "curl")} keepMounted={false}>
      <Group justify="space-between" align="center" mb="xs">
        <Tabs.List aria-label="Languages">
          {examples.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <CopyButton value={shown.code} what="example" />
      </Group>
      {examples.map(({ language, code }) => (
        <Tabs.Panel key={language} value={language}>
          <Box component="pre" className="code-block">
            {code}
          </Box>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
