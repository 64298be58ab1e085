import type { ApiCaller } from "./caller.ts";

/** The person or token that created, changed or removed a plant, with the name of that time. */
export interface EventActor {
  readonly kind: "person" | "token" | "operator" | "program";
  readonly id: string;
  readonly name: string;
}

/** The actor of a create by a bearer token, of which nothing is stored. */
export const PROGRAM: EventActor = { kind: "program", id: "", name: "" };

/** Names a caller in events. */
export function eventActorOf({ actor, person, displayName: name }: ApiCaller): EventActor {
  return person === undefined ? { kind: "token", id: actor.id, name } : { kind: "person", id: person, name };
}

/** The form in which an actor is stored, as in `person:7Xb2 Ada Lovelace`. Ids hold no white space. */
export function storedActor({ kind, id, name }: EventActor): string {
  return `${kind}:${id} ${name}`;
}

const STORED = /^(person|token|operator):(\S*) (.*)$/s;

/** Undefined for a kind that this release does not know. */
export function actorFromStored(text: string): EventActor | undefined {
  const [, kind, id, name] = STORED.exec(text) ?? [];
  if (kind === undefined || id === undefined || name === undefined) return undefined;
  return { kind: kind as EventActor["kind"], id, name };
}
