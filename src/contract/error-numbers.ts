/**
 * The number of each public failure on the wire: its HTTP status times 100 plus a number. The meaning of a number never
 * changes.
 */
export const ERROR_NUMBERS = {
  "body-not-json": 40001,
  "body-not-a-plant": 40002,
  "member-invalid": 40003,
  "address-malformed": 40004,
  "token-missing": 40101,
  "token-refused": 40102,
  "scope-missing": 40301,
  "page-refused": 40302,
  "account-suspended": 40303,
  "https-required": 40360,
  "address-unknown": 40401,
  "version-unknown": 40402,
  "plant-unknown": 40403,
  "not-found": 40404,
  "method-not-allowed": 40501,
  "not-acceptable": 40601,
  "id-taken": 40901,
  "account-limit": 40902,
  "cursor-expired": 41001,
  "precondition-failed": 41201,
  "request-timeout": 40801,
  "body-too-large": 41301,
  "media-type-unsupported": 41501,
  "rate-limited": 42901,
  fault: 50001,
  "method-unknown": 50101,
  unavailable: 50301,
} as const;

export type ErrorCode = keyof typeof ERROR_NUMBERS;
