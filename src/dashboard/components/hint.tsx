import { Tooltip } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect } from "react";

interface HintProps {
  readonly target: RefObject<HTMLElement | null>;
  /** The id that the target's `aria-describedby` names. */
  readonly id: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A tooltip that is open as long as it is rendered; Escape asks to close it. Render it only while it is to be seen, since
 * a closed tooltip in each row makes a long table slow to appear.
 */
export function Hint({ target, id, onClose, children }: HintProps) {
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      if (key === "Escape") onClose();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [onClose]);
  const label = (
    <span id={id} dir="auto">
      {children}
    </span>
  );
  return <Tooltip opened target={target} label={label} multiline maw="min(30rem, 90vw)" className="breaks" />;
}
