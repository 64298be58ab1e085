import { ActionIcon, Button } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { useState } from "react";
import { copyText } from "../browser/clipboard.ts";
import { useAnnounce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";

interface CopyButtonProps {
  readonly value: string;
  /** The name of the copied text, as in "token". */
  readonly what: string;
  /** Shows only an icon. */
  readonly compact?: boolean;
  /** Called if the browser allowed it. */
  readonly onCopied?: () => void;
}

const SHOWN_MS = 2500;

/** Copies, and reports the success by its label, by its icon and to screen readers. */
export function CopyButton({ value, what, compact, onCopied }: CopyButtonProps) {
  const announce = useAnnounce();
  const [copied, setCopied] = useState<boolean>();
  const forget = useTimeout(() => setCopied(undefined), SHOWN_MS);
  const copy = async () => {
    const done = await copyText(value);
    setCopied(done);
    forget.start();
    announce(done ? "Copied" : "The browser did not allow it. Select the text and copy it yourself.");
    if (done) onCopied?.();
  };
  const icon = <Icon name={copied === undefined ? "copy" : copied ? "check" : "warning"} />;
  if (compact) {
    return (
      <ActionIcon aria-label={`Copy the ${what}`} onClick={copy} size="md">
        {icon}
      </ActionIcon>
    );
  }
  return (
    <Button variant="default" leftSection={icon} onClick={copy} aria-label={`Copy the ${what}`}>
      {copied === undefined ? "Copy" : copied ? "Copied" : "Not copied"}
    </Button>
  );
}
