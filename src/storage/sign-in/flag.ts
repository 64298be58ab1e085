import type { Engine } from "../engine.ts";

/** SQLite has no booleans. */
export function flag(engine: Engine, value: boolean): boolean | number {
  return engine === "sqlite" ? Number(value) : value;
}
