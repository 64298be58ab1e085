/** Items as they arrive. Reading starts with the first item asked for, and leaving the loop ends the request. */
export interface ItemStream<Item> extends AsyncIterable<Item> {
  /** The same as a ReadableStream. */
  readable(): ReadableStream<Item>;
}
