/** A running system, which can be prepared, stopped, killed and started again. */
import { resolve } from "node:path";
import type { Access, Peer } from "#peer/peer.ts";
import { freshPlace, type Place } from "./place.ts";
import { Postgres } from "./postgres.ts";
import { killTree, lastLines, type Running, start, stop } from "./process.ts";

const startSecondsMax = 90;

export class Service {
  private constructor(
    readonly peer: Peer,
    readonly place: Place,
    readonly access: Access,
    private running: Running,
    private readonly postgres: Postgres | undefined,
  ) {}

  /** Starts the system on an empty store, and resolves when it takes creates. */
  static async fresh(peer: Peer): Promise<Service> {
    const postgres = peer.engine === "PostgreSQL" ? await Postgres.fresh() : undefined;
    let running: Running | undefined;
    try {
      const place = await freshPlace(peer, postgres?.url);
      await peer.prepare?.(place);
      running = await serve(peer, place);
      return new Service(peer, place, await peer.open(place), running, postgres);
    } catch (error) {
      if (running) await stop(running);
      await postgres?.stop();
      throw error;
    }
  }

  /** The processes whose memory counts. */
  get roots(): number[] {
    return this.postgres ? [this.running.pid, this.postgres.pid] : [this.running.pid];
  }

  async stop(): Promise<void> {
    await stop(this.running);
    await this.postgres?.stop();
  }

  /** Sends SIGKILL to the server and its database server. */
  async kill(): Promise<void> {
    killTree(this.running.pid, "SIGKILL");
    await this.postgres?.kill();
    await this.running.exited;
  }

  async startAgain(): Promise<void> {
    await this.postgres?.start();
    this.running = await serve(this.peer, this.place);
  }

  create(body: string): Promise<Response> {
    return fetch(this.place.url + this.access.path, { method: "POST", headers: this.headers, body });
  }

  read(path: string): Promise<Response> {
    return fetch(this.place.url + path, { headers: this.headers });
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.access.token}`, "content-type": "application/json" };
  }
}

async function serve(peer: Peer, place: Place): Promise<Running> {
  const log = resolve(place.data, "server.log");
  const running = start(peer.serve(place), log);
  let ended = false;
  running.exited.then(() => {
    ended = true;
  });
  for (const until = Date.now() + startSecondsMax * 1000; Date.now() < until && !ended; await Bun.sleep(20)) {
    const answer = await fetch(place.url + peer.ready).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer && answer.status < 500) return running;
  }
  killTree(running.pid, "SIGKILL");
  throw new Error(`it did not start: ${lastLines(await Bun.file(log).text())}`);
}
