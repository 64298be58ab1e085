import { expect, test } from "bun:test";
import { renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import { Addresses } from "./addresses.tsx";

const shown = () =>
  renderComponent(
    <WhenSignedIn>
      <Addresses />
    </WhenSignedIn>,
    {
      answers: {
        "GET /dashboard/api/session": {
          ...SESSION,
          base_url: "https://plants.example",
          versions: { service: "1.4.0", interface: "2.1.0", segment: "v2" },
        },
      },
    },
  );

test("the base address is the one that the service says, with its version, and can be copied", async () => {
  const { user, findByText, findByRole } = await shown();
  await findByText("https://plants.example/v2");
  await user.click(await findByRole("button", { name: "Copy the base address" }));
  expect(await navigator.clipboard.readText()).toBe("https://plants.example/v2");
});

test("the versions of the API and of the service are apart", async () => {
  const { findByText } = await shown();
  await findByText("2.1.0, at /v2");
  await findByText("version 1.4.0");
});

test("it leads to the reference and to the document", async () => {
  const { findByRole } = await shown();
  const href = async (name: string) => (await findByRole("link", { name })).getAttribute("href");
  expect(await href("Every request, answer and error")).toBe("/docs");
  expect(await href("openapi.json")).toBe("/openapi.json");
});
