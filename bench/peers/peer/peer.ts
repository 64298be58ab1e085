/** The description of a system for the comparison: in a file of this folder, with its program in a folder of its name. */
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

/** Runs a program of the system's own folder in production, on the port of the place. */
export const inProduction = (place: Place, words: string[], more: Record<string, string> = {}): Command => ({
  arguments: words,
  folder: place.installation,
  environment: { NODE_ENV: "production", PORT: String(place.port), ...more },
});

/** How a client adds plants to a running system. */
export interface Access {
  path: string;
  token: string;
}

export type Engine = "SQLite" | "PostgreSQL" | "none";

export interface Peer {
  name: string;
  title: string;
  engine: Engine;
  /** The documented production settings that it runs with, as the page lists them. */
  settings: string;
  /** The folder of its program and lock file, and the name of its installation. */
  source: string;
  runtime: "bun" | "node" | "node-22" | "go";
  /** The commands that install it, run in a copy of its folder. */
  install: string[][];
  /** The installed files, relative to the copy, for the size. */
  installed: string[];
  version(installation: string): Promise<string>;
  /** Creates the schema on a fresh store if the server does not do so by itself. */
  prepare?(place: Place): Promise<void>;
  serve(place: Place): Command;
  /** A path that shows that the system serves: it answers, maybe with 401, but not with 5xx. */
  ready: string;
  /** Creates the collection and the token on a fresh store of a running server. */
  open(place: Place): Promise<Access>;
  /** The body of a create. */
  body(plant: NewPlant): string;
  /** The path that reads a plant back, from the create's answer; undefined if there is none. */
  read?(id: string, answer: string): string;
  /** The column of the table `plants` with the sent id; undefined if nothing is stored. */
  idColumn?: string;
}
