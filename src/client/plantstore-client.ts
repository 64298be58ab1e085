import type { CallOptions, ClientOptions } from "./call-options.ts";
import type { Id } from "./id.ts";
import type { BulkFormat, ImportOptions, ImportSummary, PlantSource, TextSource } from "./import.ts";
import type { ListQuery, PageQuery, PlantPage } from "./page.ts";
import type { CreatedPlant, NewPlant, PlantChange, StoredPlant } from "./plant.ts";
import type { ItemStream } from "./stream.ts";

/**
 * The store's catalogue over HTTP. Every method throws PlantstoreError when the service refuses, PlantstoreUnreachable
 * when no answer was had, and the signal's reason when its signal aborts.
 */
export class PlantstoreClient {
  constructor(readonly options: ClientOptions) {}

  /** Creates a plant. Repeating it is safe: the same plant again is answered the same, with `replayed` true. */
  create(_plant: NewPlant, _options: CallOptions = {}): Promise<CreatedPlant> {
    throw new Error("Not yet");
  }

  get(_id: Id, _options: CallOptions = {}): Promise<StoredPlant> {
    throw new Error("Not yet");
  }

  page(_query: PageQuery = {}, _options: CallOptions = {}): Promise<PlantPage> {
    throw new Error("Not yet");
  }

  list(_query: ListQuery & { readonly pageSize?: number } = {}, _options: CallOptions = {}): ItemStream<StoredPlant> {
    throw new Error("Not yet");
  }

  change(
    _id: Id,
    _change: PlantChange,
    _options: CallOptions & { readonly ifMatch?: string } = {},
  ): Promise<StoredPlant> {
    throw new Error("Not yet");
  }

  remove(_id: Id, _options: CallOptions & { readonly ifMatch?: string } = {}): Promise<void> {
    throw new Error("Not yet");
  }

  import(plants: PlantSource, options?: ImportOptions): Promise<ImportSummary>;
  import(text: TextSource, options: ImportOptions & { readonly format: BulkFormat }): Promise<ImportSummary>;
  import(_source: PlantSource | TextSource, _options: ImportOptions = {}): Promise<ImportSummary> {
    throw new Error("Not yet");
  }

  export(options?: CallOptions): ItemStream<StoredPlant>;
  export(options: CallOptions & { readonly format: BulkFormat }): ItemStream<Uint8Array>;
  export(_options: CallOptions & { readonly format?: BulkFormat } = {}): ItemStream<never> {
    throw new Error("Not yet");
  }
}
