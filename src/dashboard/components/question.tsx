import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
import { Form, type FormOptions, useForm } from "./form.tsx";

interface QuestionProps<Answer> extends Omit<FormOptions<object, Answer>, "initial"> {
  readonly title: ReactNode;
  readonly label: string;
  readonly failure?: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A dialog that asks before something is taken away. */
export function Question<Answer>({ title, label, failure, children, onClose, ...options }: QuestionProps<Answer>) {
  const form = useForm({ initial: {}, ...options });
  return (
    <Dialog onClose={onClose} title={title}>
      <Form form={form} label={label} failure={failure} onCancel={onClose} color="red">
        {children}
      </Form>
    </Dialog>
  );
}
