import type { App } from "#http/app.ts";
import { mcpMount } from "#http/mcp-mount.ts";
import type { HttpServer, Mount } from "#http/service.ts";

/** Requests of tools come from within: no connection is silent, and no client is on the other end. */
const WITHIN: HttpServer = { timeout() {} };

/** `POST /mcp`. What it needs is loaded at the first call: nobody else pays for it. */
export function mcpEndpoint(app: () => App): Mount {
  let loading: Promise<Parameters<typeof mcpMount>[0]> | undefined;
  const load = async () => {
    const { mcpOverHttp } = await import("#mcp/http.ts");
    return mcpOverHttp((request) => app().fetch(request, WITHIN));
  };
  return mcpMount(async (call) => {
    loading ??= load();
    return (await loading)(call);
  });
}
