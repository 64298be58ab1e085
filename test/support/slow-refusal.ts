import { expect } from "bun:test";
import { held, refusal, type renderComponent } from "./component.tsx";

type Rendered = Pick<
  Awaited<ReturnType<typeof renderComponent>>,
  "container" | "findByRole" | "findByText" | "user" | "waitFor"
>;

/** For a page whose first answer takes long and is a refusal, and whose second one is `then`. */
export function slowRefusal(then: unknown) {
  const slow = held(refusal(40301, "This session may not read that"));
  let first = true;
  return {
    answer: () => {
      if (!first) return then;
      first = false;
      return slow.answer();
    },
    /** Checks that the page shows its shape while it waits, then the reason and the request id, and asks again on demand. */
    async check({ container, findByRole, findByText, user, waitFor }: Rendered): Promise<void> {
      await waitFor(() => expect(container.querySelector(".late")).not.toBeNull());
      slow.release();
      await findByText("This session may not read that");
      await findByText("req_test");
      await user.click(await findByRole("button", { name: "Try again" }));
    },
  };
}
