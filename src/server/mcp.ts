import type { App } from "#http/app.ts";
import { mcpMount } from "#http/mcp-mount.ts";
import type { Mount } from "#http/mount.ts";
import type { HttpServer } from "#http/service.ts";

/** Tools' requests come from inside the process, without a connection or a client at the other end. */
const WITHIN: HttpServer = { timeout() {} };

/** `POST /mcp`. Its libraries are loaded at the first call, so they cost nothing without one. */
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
