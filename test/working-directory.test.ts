import { test } from "bun:test";
import { expectFilesUnread } from "./support/foreign-folder.ts";
import { SOURCES_COMMAND } from "./support/service.ts";

test("a program that is started from its sources obeys no .env, bunfig.toml or tsconfig.json of the folder it is in", () =>
  expectFilesUnread([SOURCES_COMMAND]));
