import { ActionIcon, Code, Group, Stack, Title } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { useState } from "react";
import { copyText } from "../browser/clipboard.ts";
import { Action } from "./action.tsx";
import { useAnnounce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";
import { PageLink } from "./page-link.tsx";

interface CopiedProps {
  readonly value: string;
  /** The name of the copied text, as in "token". */
  readonly what: string;
}

interface CopyButtonProps extends CopiedProps {
  readonly compact?: boolean;
  readonly autoFocus?: boolean;
  readonly onCopied?: () => void;
}

export function CopyButton({ value, what, compact, autoFocus, onCopied }: CopyButtonProps) {
  const announce = useAnnounce();
  const [copied, setCopied] = useState<boolean>();
  const forget = useTimeout(() => setCopied(undefined), 2500);
  const copy = async () => {
    const done = await copyText(value);
    setCopied(done);
    forget.start();
    announce(done ? "Copied" : "The browser did not allow it. Select the text and copy it yourself.");
    if (done) onCopied?.();
  };
  const icon = <Icon name={copied === undefined ? "copy" : copied ? "check" : "warning"} />;
  const props = { "aria-label": `Copy the ${what}`, onClick: copy, autoFocus };
  if (compact) return <ActionIcon {...props}>{icon}</ActionIcon>;
  const label = copied === undefined ? "Copy" : copied ? "Copied" : "Not copied";
  return <Action {...props} leftSection={icon} label={label} />;
}

/** A text in a code's type, with its copy button; it may lead to a page. */
export function CopiedCode({ value, what, href }: CopiedProps & { readonly href?: string }) {
  const code = <Code className="breaks">{value}</Code>;
  return (
    <Group gap={4} wrap="nowrap">
      {href === undefined ? (
        code
      ) : (
        <PageLink href={href} c="inherit" className="link">
          {code}
        </PageLink>
      )}
      <CopyButton value={value} what={what} compact />
    </Group>
  );
}

export function CopiedBlock({ title, ...copied }: CopiedProps & { readonly title: string }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3}>{title}</Title>
        <CopyButton {...copied} compact />
      </Group>
      <pre translate="no" className="code-block">
        {copied.value}
      </pre>
    </Stack>
  );
}
