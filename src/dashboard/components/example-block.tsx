import { Box, Group, Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { Example } from "../text/request-examples.ts";
import { CopyButton } from "./copy-button.tsx";

export function ExampleBlock({ examples }: { readonly examples: readonly Example[] }) {
  const [language, setLanguage] = useLocalStorage({ key: "plantstore-language", defaultValue: "curl" });
  const shown = examples.find((example) => example.language === language) ?? examples[0];
  if (!shown) return null;
  return (
    <Tabs
      className="example"
      value={shown.language}
      onChange={(chosen) => setLanguage(chosen ?? "curl")}
      keepMounted={false}
    >
      <Group
        justify="space-between"
        gap={0}
        wrap="nowrap"
        pr={6}
        style={{ borderBottom: "1px solid var(--plantstore-line)" }}
      >
        <Tabs.List aria-label="Language">
          {examples.map(({ language }) => (
            <Tabs.Tab key={language} value={language} translate="no">
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <CopyButton value={shown.code} what="example" compact />
      </Group>
      <Tabs.Panel value={shown.language}>
        <Box component="pre" translate="no" className="code-block" tabIndex={0} bd={0} bdrs={0}>
          {shown.code}
        </Box>
      </Tabs.Panel>
    </Tabs>
  );
}
