import type { ComponentProps, ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
import { Form, type FormOptions, useForm } from "./form.tsx";

interface FormDialogProps extends Omit<ComponentProps<typeof Form>, "onCancel"> {
  readonly title: ReactNode;
  readonly closeOnClickOutside?: boolean;
  readonly onClose: () => void;
}

export function FormDialog({ title, closeOnClickOutside, onClose, ...form }: FormDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} closeOnClickOutside={closeOnClickOutside}>
      <Form {...form} onCancel={onClose} />
    </Dialog>
  );
}

type QuestionProps<Answer> = Pick<FormDialogProps, "title" | "label" | "failure" | "children" | "onClose"> &
  Omit<FormOptions<object, Answer>, "initial">;

/** A dialog that asks before something is taken away. */
export function Question<Answer>({ title, label, failure, children, onClose, ...options }: QuestionProps<Answer>) {
  const form = useForm({ initial: {}, ...options });
  return <FormDialog {...{ title, label, failure, children, onClose, form }} color="red" />;
}
