import { Drawer, Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";
import { useSignal } from "../api/signal.ts";
import { usePage } from "../program/page-context.tsx";

/** Dialogs and panels are open as long as they are rendered. */
type DialogProps = Omit<ModalProps, "opened" | "returnFocus"> & {
  /** False if the focus goes elsewhere when it closes. */
  readonly returnFocus?: boolean;
};

export function Dialog({ closeOnEscape = true, returnFocus = true, ...props }: DialogProps) {
  const onTop = useTopDialog(returnFocus);
  return <Modal {...props} opened returnFocus={false} closeOnEscape={closeOnEscape && onTop} />;
}

/** A panel at the right of the page, for one item of its list. */
export function SidePanel({ size = 560, ...props }: Pick<ModalProps, "onClose" | "size" | "title" | "children">) {
  const onTop = useTopDialog(true);
  return (
    <Drawer
      {...props}
      opened
      size={size}
      position="right"
      returnFocus={false}
      closeOnEscape={onTop}
      closeButtonProps={{ "aria-label": "Close" }}
      overlayProps={{ opacity: 0.35 }}
    />
  );
}

/** Returns true for the open dialog above all others. Escape closes that one; the library would close all of them. */
function useTopDialog(returnFocus: boolean): boolean {
  const { dialogs } = usePage();
  useFocusReturn(returnFocus);
  const [id] = useState(() => Symbol("dialog"));
  useEffect(() => {
    dialogs.set([...dialogs.get(), id]);
    return () => dialogs.set(dialogs.get().filter((each) => each !== id));
  }, [dialogs, id]);
  return useSignal(dialogs).at(-1) === id;
}

/**
 * Returns the focus to the element that had it before. If that was in a dialog whose place this one took, the focus
 * returns to where that one was opened; and if that no longer exists, to the page's heading.
 */
function useFocusReturn(enabled: boolean): void {
  const { dialogs, openers } = usePage();
  const [count] = useState(() => openers.push(openerOf(document.activeElement)));
  useEffect(
    () => () => {
      const usable = openers.slice(0, count).filter((opener) => opener?.isConnected && opener !== document.body);
      if (dialogs.get().length === 0 && count === openers.length) openers.length = 0;
      if (!enabled || (document.activeElement !== document.body && document.activeElement !== null)) return;
      const target = usable.at(-1) ?? document.querySelector("h1[tabindex]");
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    },
    [dialogs, openers, count, enabled],
  );
}

/** An item of a menu is gone when the dialog closes; the button of that menu is not. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest("[role=menu]");
  return menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : focused;
}
