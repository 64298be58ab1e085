/** What the comparison needs to know of a peer; each is described in a file of this folder, its program stands in a folder of its name. */
import type { Place } from "#harness/place.ts";

/** A plant to send. `id` in decimal digits, as it stands in the body. */
export interface NewPlant {
  id: string;
  name: string;
  tag: string;
}

export interface Command {
  arguments: string[];
  folder?: string;
  environment?: Record<string, string>;
}

/** How a client adds plants to a peer that runs. */
export interface Access {
  path: string;
  token: string;
}

export type Engine = "SQLite" | "PostgreSQL" | "none";

export interface Peer {
  name: string;
  title: string;
  engine: Engine;
  /** The documented production settings it runs with, as the page tells them. */
  settings: string;
  /** The folder that its program and lock file stand in, and that its installation is named by. */
  source: string;
  runtime: "bun" | "node" | "node-22" | "go";
  /** What a person types to install it, run in a copy of its folder. */
  install: string[][];
  /** Where its installation lands, for its size; relative to the copy. */
  installed: string[];
  version(installation: string): Promise<string>;
  /** Makes the schema, where the server does not do so by itself. The store is fresh. */
  prepare?(place: Place): Promise<void>;
  serve(place: Place): Command;
  /** A path that answers once the peer serves, with a 401 too, but with no 5xx. */
  ready: string;
  /** Makes what a client needs on a fresh store: the collection, the token. The server runs. */
  open(place: Place): Promise<Access>;
  /** The body of a create. */
  body(plant: NewPlant): string;
  /** Where a plant is read back, given the create's answer; undefined where it cannot be. */
  read?(id: string, answer: string): string;
  /** The column of table `plants` that holds the id sent; undefined where nothing is stored. */
  idColumn?: string;
}
