import type { Callee } from "#load/channel.ts";
import { giveWayToCreates, serveThread } from "#load/thread-side.ts";
import { type ApiFunctions, mcpFunctions } from "./mcp-functions.ts";

giveWayToCreates();
serveThread((api: Callee<ApiFunctions>) => mcpFunctions(api));
