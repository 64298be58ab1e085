/** The shape of a system in the comparison: in a file of this folder, with its program in a folder of its name. */
import type { Place } from "#harness/place.ts";

/** A plant to send. `id` in decimal digits, as it stands in the body. */
export interface NewPlant {
  id: string;
  name: string;
  tag: string;
}

export const newPlant = (id: string): NewPlant => ({ id, name: `plant ${id}`, tag: "tree" });

export interface Command {
  arguments: string[];
  folder?: string;
  environment?: Record<string, string>;
}

export const OPERATIONS = ["read one", "list a hundred", "search a word", "change one", "remove one"] as const;
export type Operation = (typeof OPERATIONS)[number];

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
  /** The path at which plants are created. Each is below it, under its key. */
  plants: string;
  /** Creates the collection if need be, and gives a token, on a fresh store of a running server. */
  token(place: Place): Promise<string>;
  /** The body of a create. */
  body(plant: NewPlant): string;
  /** The key of a plant in its path, from the create's answer. */
  key(id: string, answer: string): string;
  /** What stands after `plants` in the operations on many; `{word}` is a word that occurs in ten of the names. */
  queries: { "list a hundred": string; "search a word": string };
  /** A change of a plant's name; `{id}` is its id. */
  change: { method: "PATCH" | "PUT"; body: string };
  /** The key of the plant with the id `{id}`, among those that `columns` has filled. */
  filledKey: string;
  /** The columns of a plant in SQL, from its number `at` and the SQL of its name; undefined if it imports plants itself. */
  columns?(name: string): Record<string, string>;
  /** The column of the table `plants` with the sent id; undefined if nothing is stored. */
  idColumn?: string;
}

/** Members that most systems share. */
export const usual = {
  install: [["npm", "ci"]],
  installed: ["node_modules"],
  plants: "/plants",
  body: ({ id, name, tag }) => `{"id":${id},"name":"${name}","tag":"${tag}"}`,
  key: (id) => id,
  queries: { "list a hundred": "?limit=100", "search a word": "?q={word}" },
  change: { method: "PATCH", body: '{"name":"Changed {id}"}' },
  filledKey: "{id}",
  columns: (name) => ({ id: "at", name, tag: "'tree'" }),
  idColumn: "id",
} satisfies Partial<Peer>;

/** Runs a program of the system's own folder in production, on the port of the place. */
export const inProduction = (place: Place, words: string[], more: Record<string, string> = {}): Command => ({
  arguments: words,
  folder: place.installation,
  environment: { NODE_ENV: "production", HOST: "127.0.0.1", PORT: String(place.port), ...more },
});
