import type { Callee } from "#threads/channel.ts";
import { giveWayToCreates, serveThread } from "#threads/thread-side.ts";
import { type ApiFunctions, mcpFunctions } from "./mcp-functions.ts";

giveWayToCreates();
serveThread((api: Callee<ApiFunctions>) => mcpFunctions(api));
