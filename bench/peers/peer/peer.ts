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

/** A list in JSON, under the field that the system uses. */
export interface Answer {
  data?: { name: string }[];
  items?: { name: string }[];
  next_cursor?: string | null;
}

/** The search for a part of a name, as the system documents it. */
export interface Search {
  /** The path of a page of the plants whose names contain the part. */
  path(part: string): string;
  /** The plants of an answer. */
  plants(answer: Answer): { name: string }[];
  /** The addition to the path for the next page, if a page may be short and still have a next one. */
  next?(answer: Answer): string | undefined;
  /** Puts the catalogue into the running system's empty store. */
  fill(place: Place, access: Access): Promise<void>;
  /** True when the system's own index has all plants; undefined if it has none. */
  indexed?(place: Place): Promise<boolean>;
}

/** A backup that the system itself makes while it serves. */
export interface Backup {
  /** Returns what the operator needs besides the place, such as a token. */
  prepare(place: Place): Promise<string>;
  /** Makes a backup on the local disk and returns its file. */
  create(place: Place, operator: string): Promise<string>;
  /** Restores the backup and returns the SQLite file. */
  open(file: string, place: Place): Promise<string>;
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
  /** Undefined for programs that would have to write their own. */
  search?: Search;
  backup?: Backup;
}
