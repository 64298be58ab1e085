/** A structured log. An event is one line; `fields` never hold a token, password or cookie. */
export interface Log {
  error(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  debug(fields: Record<string, unknown>, message: string): void;
  readonly debugEnabled: boolean;
}
