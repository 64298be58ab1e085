import { afterAll, afterEach, beforeEach, setSystemTime } from "bun:test";
import { signInTables } from "#accounts/sign-in-tables.ts";
import { openAuth } from "./auth-browser.ts";
import { openTestRecords } from "./test-records.ts";

/** The time at which each test begins. */
export const NOW = Date.parse("2026-03-10T12:00:00.000Z");

/** Sign-in over a database of its own for all tests of the file, each of which begins at NOW. */
export async function openTestAuth() {
  const opened = await openTestRecords("sqlite");
  const { storage } = opened;
  const tables = signInTables(storage);
  beforeEach(() => void setSystemTime(NOW));
  afterEach(() => void setSystemTime());
  afterAll(() => opened.end());
  return { opened, storage, auth: openAuth(storage), tables, throttle: tables.throttle };
}
