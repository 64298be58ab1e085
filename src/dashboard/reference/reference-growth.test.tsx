import { expect, test } from "bun:test";
import { waitFor } from "@testing-library/react";
import { openApiDocument } from "#contract/openapi/document.ts";
import { VERSIONS } from "#contract/version.ts";
import { renderComponent } from "#test/support/component.tsx";
import { type OpenApiDocument, operationsOf } from "./openapi.ts";
import ReferencePage from "./reference-page.tsx";

/** Enough of the published document to be rendered in parts: all of it takes long. */
const PATHS_COUNT = 5;
const published: OpenApiDocument = JSON.parse(
  JSON.stringify(openApiDocument("http://127.0.0.1:3000", VERSIONS[0]!), (key, value) => {
    return key === "paths" ? Object.fromEntries(Object.entries(value).slice(0, PATHS_COUNT)) : value;
  }),
);
const ids = operationsOf(published).map(({ id }) => id);
const TIMEOUT_MS = 20_000;

function rendered(path: string) {
  return renderComponent(<ReferencePage />, { answers: { "GET /openapi.json": published }, path });
}

const operations = (container: Element) => [...container.querySelectorAll(".operation")].map(({ id }) => id);
const links = (container: Element) =>
  [...container.querySelectorAll(".contents-link")].map((link) => link.getAttribute("href"));

test(
  "every operation is in the contents at once, and rendered one after the other",
  async () => {
    const { container } = await rendered("/docs");
    await waitFor(() => expect(operations(container).length).toBeGreaterThan(0));
    expect(operations(container).length).toBeLessThan(ids.length);
    expect(links(container)).toEqual(ids.map((id) => `#${id}`));
    await waitFor(() => expect(operations(container)).toEqual(ids), { timeout: TIMEOUT_MS });
  },
  TIMEOUT_MS,
);

test(
  "an address within the page finds its operation rendered",
  async () => {
    const { container } = await rendered(`/docs#${ids.at(-1)}`);
    await waitFor(() => expect(operations(container).length).toBeGreaterThan(0), { timeout: TIMEOUT_MS });
    expect(operations(container)).toEqual(ids);
  },
  TIMEOUT_MS,
);
