import { Drawer, type DrawerProps } from "@mantine/core";
import { useIsTopDialog } from "./top-dialog.ts";

/** A panel at the right of the page, for one item of its list. Escape closes it only while no dialog is open above it. */
export function SidePanel(props: Pick<DrawerProps, "opened" | "onClose" | "size" | "title" | "children">) {
  const onTop = useIsTopDialog(props.opened);
  return (
    <Drawer
      {...props}
      position="right"
      closeOnEscape={onTop}
      closeButtonProps={{ "aria-label": "Close" }}
      overlayProps={{ opacity: 0.35 }}
    />
  );
}
