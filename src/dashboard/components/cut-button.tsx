import { UnstyledButton } from "@mantine/core";
import { type ComponentPropsWithoutRef, type SyntheticEvent, useCallback, useId, useRef, useState } from "react";
import { Hint } from "./hint.tsx";

/** A name may have a million characters. */
const SHOWN_LENGTH_MAX = 1000;

interface CutButtonProps extends ComponentPropsWithoutRef<"button"> {
  /** The complete text. */
  readonly text: string;
}

/** A button of one line. If its text is cut, the complete text is shown on hover and on focus, until Escape. */
export function CutButton({ text, ...props }: CutButtonProps) {
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hintId = useId();
  const look = ({ currentTarget }: SyntheticEvent<HTMLElement>) =>
    setOpened(currentTarget.scrollWidth > currentTarget.clientWidth);
  const close = useCallback(() => setOpened(false), []);
  return (
    <>
      <UnstyledButton
        {...props}
        ref={button}
        aria-describedby={opened ? hintId : undefined}
        onPointerEnter={look}
        onPointerLeave={close}
        onFocus={look}
        onBlur={close}
      />
      {opened && (
        <Hint target={button} id={hintId} onClose={close}>
          {text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text}
        </Hint>
      )}
    </>
  );
}
