import { Modal, type ModalProps } from "@mantine/core";
import { useIsTopDialog } from "./top-dialog.ts";

/** A dialog in the middle of the page. Escape closes it only while no other dialog is open above it. */
export function Dialog({ closeOnEscape = true, ...props }: ModalProps) {
  const onTop = useIsTopDialog(props.opened);
  return <Modal {...props} closeOnEscape={closeOnEscape && onTop} />;
}
