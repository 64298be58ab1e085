import { Tooltip, UnstyledButton } from "@mantine/core";
import { useDisclosure, useWindowEvent } from "@mantine/hooks";
import type { ComponentPropsWithoutRef, ReactNode, RefObject, SyntheticEvent } from "react";
import { useId, useRef } from "react";
import { excerpt } from "../text/sentence.ts";

/**
 * A tooltip for the element that gets `props`, open from `open` on until the pointer or the focus leaves it, or Escape. It
 * is rendered only while it is seen, since a closed tooltip in each row makes a long table slow to appear.
 */
export function useHint<Target extends HTMLElement>(text: ReactNode) {
  const [opened, { open, close }] = useDisclosure(false);
  const ref = useRef<Target>(null);
  const id = useId();
  const props = { ref, "aria-describedby": opened ? id : undefined, onPointerLeave: close, onBlur: close };
  return { open, props, hint: opened && <Hint id={id} target={ref} text={text} onClose={close} /> };
}

interface HintProps {
  readonly id: string;
  readonly target: RefObject<HTMLElement | null>;
  readonly text: ReactNode;
  readonly onClose: () => void;
}

function Hint({ id, target, text, onClose }: HintProps) {
  useWindowEvent("keydown", ({ key }) => key === "Escape" && onClose());
  const label = (
    <span id={id} dir="auto">
      {text}
    </span>
  );
  return <Tooltip opened target={target} label={label} multiline maw="min(30rem, 90vw)" className="breaks" />;
}

/** A button of one line. If its text is cut, the complete text is shown on hover and on focus. */
export function CutButton({ text, ...props }: ComponentPropsWithoutRef<"button"> & { readonly text: string }) {
  const { open, props: hinted, hint } = useHint<HTMLButtonElement>(<span translate="no">{excerpt(text)}</span>);
  const look = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    if (currentTarget.scrollWidth > currentTarget.clientWidth) open();
  };
  return (
    <>
      <UnstyledButton {...props} {...hinted} onPointerEnter={look} onFocus={look} />
      {hint}
    </>
  );
}
