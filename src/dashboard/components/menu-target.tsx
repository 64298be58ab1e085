import { Menu } from "@mantine/core";
import { cloneElement, type ReactElement, type RefCallback, useLayoutEffect, useRef } from "react";

/** The button that opens a menu. */
export function MenuTarget({ children }: { readonly children: ReactElement<object> }) {
  return (
    <Menu.Target>
      <LateTarget>{children}</LateTarget>
    </Menu.Target>
  );
}

interface LateTargetProps {
  readonly children: ReactElement<object>;
  /** From the menu, as are all others but `children`. */
  readonly ref?: RefCallback<HTMLElement>;
  readonly className?: string;
  readonly "aria-expanded"?: boolean;
}

/**
 * Hands its element to the menu only once that opens. A menu draws itself again as soon as it has the element, and at the
 * start of a page that would be in the same task as the page itself, which is a noticeable pause on slow devices. The menu's
 * `className` is left out, since it would replace the element's own.
 */
function LateTarget({ children, ref, className: _, ...props }: LateTargetProps) {
  const element = useRef<HTMLElement>(null);
  const opened = props["aria-expanded"];
  useLayoutEffect(() => {
    if (opened) ref?.(element.current);
  }, [opened, ref]);
  return cloneElement(children, { ...props, ref: element } as object);
}
