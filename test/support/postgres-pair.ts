import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { copyOfData, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** A primary with its synchronous standby, behind one address that leads to the primary, as Patroni and HAProxy do it. */
export class PostgresPair {
  primary: PostgresServer;
  standby: PostgresServer | undefined;
  readonly proxy: TcpProxy;

  private constructor(primary: PostgresServer, proxy: TcpProxy) {
    this.primary = primary;
    this.proxy = proxy;
  }

  static async start(): Promise<PostgresPair> {
    const primary = await startPostgres({ settings: SETTINGS });
    const pair = new PostgresPair(primary, await startTcpProxy(primary.port));
    await pair.addStandby();
    return pair;
  }

  /** The database's address, through the proxy. */
  get url(): string {
    return `postgres://plantstore:secret@127.0.0.1:${this.proxy.port}/postgres`;
  }

  /** Kills the primary as if its machine died. Nothing is promoted yet. */
  async killPrimary(): Promise<void> {
    await this.primary.kill();
  }

  /** Promotes the standby, which then has no standby of its own, and lets the proxy follow it. */
  async promote(): Promise<void> {
    const { standby } = this;
    if (!standby) throw new Error("There is no standby to promote");
    await withClient(standby, async (client) => {
      // A query that waits for the end of recovery may itself hold recovery up, by the rows that it might still see.
      await client.query("SELECT pg_promote(false)");
      await eventually("the standby is the primary", async () => {
        const { rows } = await client.query("SELECT pg_is_in_recovery() AS recovering");
        return !rows[0].recovering;
      });
    });
    this.primary = standby;
    this.standby = undefined;
    this.proxy.follow(standby.port);
  }

  /**
   * Makes a standby from a copy of the running primary (PostgreSQL manual, 25.3.3). Once it has caught up, every commit
   * waits for it.
   */
  async addStandby(): Promise<void> {
    const { primary } = this;
    await withClient(primary, async (client) => {
      await client.query("SELECT pg_backup_start('standby', true)");
      const folder = copyOfData(primary.folder);
      const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
      writeOwned(folder, "backup_label", rows[0].labelfile);
      Bun.spawnSync(["sh", "-c", 'rm -rf "$0"/pg_wal/0* "$0"/postmaster.pid "$0"/postmaster.opts', folder]);
      writeOwned(folder, "standby.signal", "");
      writeOwned(folder, "postgresql.auto.conf", `primary_conninfo = '${connectionInfo(primary)}'\n`);
      this.standby = await startPostgres({ folder, port: freePort(), settings: SETTINGS });
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await client.query("SELECT pg_reload_conf()");
      await eventually("the standby is synchronous", async () => {
        const { rows: senders } = await client.query("SELECT sync_state FROM pg_stat_replication");
        return senders.some(({ sync_state }) => sync_state === "sync");
      });
    });
  }

  /** Kills the primary and starts it again from its disk. */
  async restartPrimary(): Promise<void> {
    const { folder, port } = this.primary;
    await this.primary.kill();
    this.primary = await startPostgres({ folder, port, settings: SETTINGS });
  }

  async restartStandby(): Promise<void> {
    if (!this.standby) throw new Error("There is no standby to restart");
    const { folder, port } = this.standby;
    this.standby = await startPostgres({ folder, port, settings: SETTINGS });
  }

  async stop(): Promise<void> {
    this.proxy.close();
    await Promise.all([this.primary.stop(), this.standby?.stop()]);
  }
}

const SETTINGS = {
  hot_standby: "on",
  wal_keep_size: "256MB",
  max_wal_senders: "4",
  wal_receiver_status_interval: "1s",
};

function connectionInfo({ port }: PostgresServer): string {
  return `host=127.0.0.1 port=${port} user=plantstore password=secret application_name=standby`;
}

function writeOwned(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  const { uid, gid } = statSync(folder);
  chownSync(path, uid, gid);
}

async function withClient<T>(server: PostgresServer, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server.url());
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
