import { ActionIcon, type ActionIconProps, Menu } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode, type RefCallback, useLayoutEffect, useRef } from "react";
import { useReturnedFocus } from "./action.tsx";
import { Icon } from "./icon.tsx";

interface MoreMenuProps extends Pick<ActionIconProps, "size" | "loading"> {
  readonly label: string;
  readonly width?: number;
  readonly children: ReactNode;
}

/** The further actions on something, behind three dots. */
export function MoreMenu({ label, width, children, ...button }: MoreMenuProps) {
  return (
    <Menu position="bottom-end" width={width} keepMounted={false}>
      <MenuTarget>
        <ActionIcon {...button} aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </MenuTarget>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

export function MenuTarget({ children }: { readonly children: ReactElement<object> }) {
  return (
    <Menu.Target>
      <LateTarget>{children}</LateTarget>
    </Menu.Target>
  );
}

interface LateTargetProps {
  readonly children: ReactElement<Pick<ActionIconProps, "loading">>;
  /** Set by the menu, like all other properties but `children`. */
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
  useReturnedFocus(element, children.props.loading);
  useLayoutEffect(() => {
    if (opened) ref?.(element.current);
  }, [opened, ref]);
  return cloneElement(children, { ...props, ref: element } as object);
}
