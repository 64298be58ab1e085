import { ActionIcon, Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useAnnounce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";

interface CopyButtonProps {
  readonly value: string;
  /** As in "token". */
  readonly what: string;
  /** An icon alone. */
  readonly compact?: boolean;
  readonly onCopied?: () => void;
}

/** Copies, and says so by its label, by its icon and to screen readers. */
export function CopyButton({ value, what, compact, onCopied }: CopyButtonProps) {
  const announce = useAnnounce();
  const clipboard = useClipboard({ timeout: 2500 });
  const copy = () => {
    clipboard.copy(value);
    announce("Copied");
    onCopied?.();
  };
  const icon = <Icon name={clipboard.copied ? "check" : "copy"} />;
  if (compact) {
    return (
      <ActionIcon aria-label={`Copy the ${what}`} onClick={copy} size="md">
        {icon}
      </ActionIcon>
    );
  }
  return (
    <Button variant="default" leftSection={icon} onClick={copy} aria-label={`Copy the ${what}`}>
      {clipboard.copied ? "Copied" : "Copy"}
    </Button>
  );
}
