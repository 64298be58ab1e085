import { Tooltip, UnstyledButton } from "@mantine/core";
import { type ComponentPropsWithoutRef, type KeyboardEvent, type SyntheticEvent, useState } from "react";

/** A name may have a million characters. */
const SHOWN_LENGTH_MAX = 1000;

interface CutButtonProps extends ComponentPropsWithoutRef<"button"> {
  /** The complete text. */
  readonly text: string;
}

/** A button of one line. If its text is cut, the complete text is shown on hover and on focus, until Escape. */
export function CutButton({ text, ...props }: CutButtonProps) {
  const [opened, setOpened] = useState(false);
  const look = ({ currentTarget }: SyntheticEvent<HTMLElement>) =>
    setOpened(currentTarget.scrollWidth > currentTarget.clientWidth);
  const close = () => setOpened(false);
  const press = ({ key }: KeyboardEvent) => {
    if (key === "Escape") close();
  };
  const label = text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
  return (
    <Tooltip
      label={<span dir="auto">{label}</span>}
      opened={opened}
      multiline
      maw="min(30rem, 90vw)"
      className="breaks"
    >
      <UnstyledButton
        {...props}
        onPointerEnter={look}
        onPointerLeave={close}
        onFocus={look}
        onBlur={close}
        onKeyDown={press}
      />
    </Tooltip>
  );
}
