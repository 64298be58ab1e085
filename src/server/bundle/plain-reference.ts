import { needsToken, type OpenApiDocument, type Operation, operationsOf } from "#dashboard/reference/openapi.ts";
import { emptyForm, preparedRequest } from "#dashboard/reference/request.ts";
import { requestExamples, TOKEN_PLACEHOLDER } from "#dashboard/text/request-examples.ts";

/** The reference for readers without scripts, who cannot send a request from the page: each operation as a curl line. */
export function plainReference(reference: OpenApiDocument, origin: string): string {
  const operations = operationsOf(reference);
  return `<style>#root{display:none}#plain{max-width:60rem;margin:auto;padding:1rem}#plain pre{overflow-x:auto;font-family:monospace}</style>
<main id="plain"><h1>API reference</h1>
<p>With JavaScript this page sends requests. Without it, these are the same requests for curl;
<a href="/openapi.json">openapi.json</a> describes parameters and answers, and <a href="/docs/guides">the guides</a> explain them.</p>
${operations.map((operation) => section(operation, origin)).join("\n")}
</main>`;
}

function section(operation: Operation, origin: string): string {
  const { operationId, summary, method, path } = operation;
  return `<section><h2 id="${operationId}">${Bun.escapeHTML(summary)}</h2>
<p><code>${method} ${Bun.escapeHTML(path)}</code></p>
${operation.isWebhook ? "" : example(operation, origin)}</section>`;
}

/** No curl line stands for what the service sends itself. */
function example(operation: Operation, origin: string): string {
  const token = needsToken(operation) ? TOKEN_PLACEHOLDER : undefined;
  const [curl] = requestExamples(origin, token, preparedRequest(operation, emptyForm(operation)));
  return `<pre translate="no">${Bun.escapeHTML(curl?.code ?? "")}</pre>`;
}
