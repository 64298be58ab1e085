import { afterAll } from "bun:test";
import { runAtEnd } from "./at-end.ts";

/** Loaded before the tests, by bunfig.toml: the test runner exits without the event that a process usually gets. */
afterAll(runAtEnd);
