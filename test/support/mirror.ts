/** An event of the feed, as far as a mirror needs it. */
export interface MirroredEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly plant_id: string;
    readonly plant: { readonly name: string };
    readonly previous?: { readonly name?: string };
  };
}

/** The plants as a reader of the feed has them, who trusts each event to follow the one before it. */
export class Mirror {
  readonly names = new Map<string, string>();
  /** The events that do not follow what was told before them. */
  readonly problems: string[] = [];
  events = 0;
  #last = "";

  follow(event: MirroredEvent): void {
    const { plant_id: id, plant, previous } = event.data;
    const before = event.type === "plant.removed" ? plant.name : previous?.name;
    if (event.id <= this.#last) this.problems.push(`${event.id} comes after ${this.#last}`);
    if (this.names.get(id) !== before) {
      this.problems.push(`${event.id} is ${event.type} of ${id} from ${before}, which was ${this.names.get(id)}`);
    }
    this.#last = event.id;
    this.events++;
    if (event.type === "plant.removed") this.names.delete(id);
    else this.names.set(id, plant.name);
  }
}
