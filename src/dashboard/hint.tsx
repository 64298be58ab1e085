import { Tooltip } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect } from "react";

interface HintProps {
  readonly target: RefObject<HTMLElement | null>;
  /** For the target's `aria-describedby`. */
  readonly id: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A tooltip that shows, until Escape. It is rendered no sooner than it is to be seen, because one that waits beside each
 * row makes a long table slow to appear.
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
