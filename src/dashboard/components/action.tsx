import { Button, type ButtonProps } from "@mantine/core";
import { type MouseEvent, type ReactNode, type Ref, type RefObject, useEffect, useRef } from "react";
import { Link } from "wouter";
import { Icon, type IconName } from "./icon.tsx";

/** `main` is what a page is for, `quiet` changes what is shown, `danger` takes away, `risky` asks before it does. */
const KINDS = {
  main: {},
  plain: { variant: "default" },
  quiet: { variant: "subtle", color: "gray" },
  danger: { color: "red" },
  risky: { variant: "outline", color: "red", c: "var(--mantine-color-error)" },
} satisfies Record<string, ButtonProps>;

interface ActionProps extends Omit<ButtonProps, "children"> {
  readonly label: ReactNode;
  readonly kind?: keyof typeof KINDS;
  readonly icon?: IconName;
  readonly onClick?: (event: MouseEvent<HTMLElement>) => unknown;
  /** A change that the button sends. It waits for it, also if it has an `onClick` of its own or sends one of several. */
  readonly change?: { readonly isPending: boolean; readonly mutate: () => void };
  /** The page that it opens, in a document of its own if that is not one of the dashboard. */
  readonly href?: string;
  readonly outside?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly autoFocus?: boolean;
  readonly "data-autofocus"?: boolean;
  readonly "aria-label"?: string;
  readonly "aria-expanded"?: boolean;
}

export function Action({ label, kind = "plain", icon, href, change, outside, onClick, ref, ...props }: ActionProps) {
  // Two presses may come before the first is drawn, by which the button is disabled.
  const isWaiting = useRef(false);
  isWaiting.current = change?.isPending === true;
  const pressed = useRef<HTMLElement>(null);
  const { loading = change?.isPending } = props;
  useReturnedFocus(pressed, loading);
  const shared = { ...KINDS[kind], leftSection: icon && <Icon name={icon} />, ...props, children: label };
  if (href !== undefined && outside) return <Button component="a" href={href} {...shared} />;
  if (href !== undefined) return <Button component={Link} href={href} {...shared} />;
  const press = (event: MouseEvent<HTMLElement>) => {
    pressed.current = event.currentTarget;
    if (isWaiting.current) return;
    isWaiting.current = change !== undefined && onClick === undefined;
    if (onClick) onClick(event);
    else change?.mutate();
  };
  return <Button ref={ref} onClick={press} {...shared} loading={loading} />;
}

/** A button is disabled while it waits, and so loses the focus. Unless that has gone elsewhere, it gets it back afterwards. */
export function useReturnedFocus(button: RefObject<HTMLElement | null>, waits = false): void {
  const waited = useRef(false);
  useEffect(() => {
    if (waited.current && document.activeElement === document.body) button.current?.focus();
    waited.current = waits;
  }, [waits, button]);
}
