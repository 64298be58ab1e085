import { setDefaultTimeout } from "bun:test";

/**
 * Loaded before the tests, by bunfig.toml, which has no member for it: a test may start a service, a browser or PostgreSQL.
 * It holds for one file; the runner loads it anew for each with `--isolate`.
 */
setDefaultTimeout(240_000);
