import type { Context } from "hono";
import { PARSED_HERE } from "#load/limits.ts";
import { authenticateAgain } from "../bearer.ts";
import { readText } from "../body.ts";
import { changeUnder, conditionsOf } from "../conditions.ts";
import type { Env } from "../env.ts";
import { mediaType } from "../media-type.ts";
import { permit } from "../permit.ts";
import { plantAnswer, readPlantId } from "../plant-answer.ts";
import type { Service } from "../service.ts";

const ACCEPTED = ["application/merge-patch+json", "application/json"] as const;

/** `PATCH /plants/{id}` */
export async function changePlant(service: Service, c: Context<Env>): Promise<Response> {
  c.env.context.route = "change";
  const { token } = await permit(service, c, "plants:write");
  mediaType(c.req.raw, ACCEPTED);
  const text = await readText(c.env.context);
  c.env.context.bodyText = text;
  await authenticateAgain(c.env.context, Date.now());
  const id = readPlantId(c);
  const { shape, version } = c.env.context.version;
  const patch =
    text.length <= PARSED_HERE.each
      ? shape.readPlantPatch(text, id)
      : await service.reads.ask(token.account, "plantPatch", { version: version.version, text, id });
  const plant = await changeUnder(conditionsOf(c.req.raw), (allows) =>
    service.store.plants.change(token.account, id, patch, allows, c.env.context.span),
  );
  c.env.context.plantUpdatedAt = plant.updatedAt;
  // The answer would reveal data that a token without the scope may not read.
  return token.scopes.includes("plants:read") ? plantAnswer(c, plant) : c.body(null, 204);
}

/** `DELETE /plants/{id}` */
export async function removePlant(service: Service, c: Context<Env>): Promise<Response> {
  c.env.context.route = "remove";
  const { token } = await permit(service, c, "plants:write");
  const id = readPlantId(c);
  const { span } = c.env.context;
  await changeUnder(conditionsOf(c.req.raw), (allows) => service.store.plants.remove(token.account, id, allows, span));
  return c.body(null, 204);
}
