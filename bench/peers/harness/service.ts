/** A running system, which can be prepared, stopped, killed and started again. */
import { resolve } from "node:path";
import type { NewPlant, Peer } from "#peer/peer.ts";
import type { PostgresServer } from "../../../test/support/postgres-server.ts";
import { freshPlace, type Place } from "./place.ts";
import { endDatabase, startDatabase } from "./postgres.ts";
import { killTree, lastLines, type Running, start, stop } from "./process.ts";

const startSecondsMax = 90;

export class Service {
  private constructor(
    readonly peer: Peer,
    readonly place: Place,
    readonly token: string,
    private running: Running,
    private postgres: PostgresServer | undefined,
  ) {}

  /** Starts the system on an empty store, and resolves when it takes creates. */
  static async fresh(peer: Peer): Promise<Service> {
    const postgres = peer.engine === "PostgreSQL" ? await startDatabase() : undefined;
    let running: Running | undefined;
    try {
      const place = await freshPlace(peer, postgres?.url("plants"));
      await peer.prepare?.(place);
      running = await serve(peer, place);
      return new Service(peer, place, await peer.token(place), running, postgres);
    } catch (error) {
      if (running) await stop(running);
      if (postgres) await endDatabase(postgres);
      throw error;
    }
  }

  /** The processes whose memory counts. */
  get roots(): number[] {
    return this.postgres ? [this.running.pid, this.postgres.pid] : [this.running.pid];
  }

  async stop(): Promise<void> {
    await stop(this.running);
    if (this.postgres) await endDatabase(this.postgres);
  }

  /** Sends SIGKILL to the server and its database server. */
  async kill(): Promise<void> {
    killTree(this.running.pid, "SIGKILL");
    await this.postgres?.kill();
    await this.running.exited;
  }

  async startAgain(): Promise<void> {
    this.postgres &&= await startDatabase(this.postgres);
    this.running = await serve(this.peer, this.place);
  }

  create(plant: NewPlant): Promise<Response> {
    return this.send("POST", "", this.peer.body(plant));
  }

  /** Asks for a plant by its key. */
  read(key: string): Promise<Response> {
    return this.send("GET", `/${key}`);
  }

  /** Sends a request below the path of the plants. */
  private send(method: string, path: string, body?: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    return fetch(this.place.url + this.peer.plants + path, { method, headers, body });
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
