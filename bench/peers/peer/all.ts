/** All systems of the comparison. */
import { directus } from "./directus.ts";
import { echoBun, echoNode } from "./echo.ts";
import type { Peer } from "./peer.ts";
import { plantstorePostgres, plantstoreSqlite } from "./plantstore.ts";
import { pocketbase } from "./pocketbase.ts";
import { express, fastify } from "./programs.ts";
import { strapi } from "./strapi.ts";

const ours = [plantstoreSqlite, plantstorePostgres];
export const peers: readonly Peer[] = [...ours, fastify, express, pocketbase, strapi, directus, echoBun, echoNode];
