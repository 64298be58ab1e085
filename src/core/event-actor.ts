import type { Actor, ApiCaller } from "./caller.ts";

/** The actor of a create by a bearer token; such creates store no actor. */
export const PROGRAM: Actor<"event"> = { kind: "program", id: "", name: "" };

/** Who does a write. Its events carry the mark if it belongs to an import, or to the undo of one (`import.ts`). */
export interface Doer extends Actor<"event"> {
  readonly importMark?: string | undefined;
}

type Acting = Pick<ApiCaller, "actor" | "person" | "displayName">;

/** Names a caller in events. */
export function namedInEvents({ actor, person, displayName: name }: Acting): Actor<"event"> {
  return person === undefined ? { kind: "token", id: actor.id, name } : { kind: "person", id: person, name };
}

/** The form in which events store an actor, as in `person:7Xb2 Ada Lovelace`. Ids hold no white space. */
export function storedActor({ kind, id, name }: Actor<"event">): string {
  return `${kind}:${id} ${name}`;
}

const STORED = /^(person|token|operator):(\S*) (.*)$/s;

/** Undefined for a kind that this release does not know. */
export function actorFromStored(text: string): Actor<"event"> | undefined {
  const [, kind, id, name] = STORED.exec(text) ?? [];
  if (kind === undefined || id === undefined || name === undefined) return undefined;
  return { kind: kind as Actor<"event">["kind"], id, name };
}
