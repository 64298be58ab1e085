import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { ERRORS } from "#contract/errors.ts";
import { ALL_MEMBERS } from "#contract/plant-members.ts";
import { plainText } from "../api/failure.ts";

type Code = keyof typeof ERROR_NUMBERS;

/** The remedy for each error of the API, in a sentence or two for the person whose program received it. */
const REMEDIES: Readonly<Record<Code, string>> = {
  "body-not-json": "Send a JSON object as UTF-8, for example with JSON.stringify. An empty body is not JSON.",
  "body-not-a-plant": "Send an object with at least id and name.",
  "member-invalid": `id is a whole number without quotes, ${ALL_MEMBERS} are text. The message names the wrong member.`,
  "address-malformed": "Check the id or the query in the address. An id is a plain decimal such as 42.",
  "token-missing": "Send the header Authorization: Bearer followed by your token.",
  "token-refused": "The token may be mistyped, expired or revoked. Create a new one and replace it in your program.",
  "page-refused": "Call it from a program, not from a web page of another site.",
  "account-suspended": "Whoever runs this service has suspended the account. Ask them; nothing was removed.",
  "https-required": "Begin the address with https. The token was readable on its way: create a new one and revoke it.",
  "scope-missing": "Create a token whose access covers this request, for example read and write.",
  "address-unknown": "Check the address against the reference. There is no slash at its end.",
  "version-unknown": "Use /v1 in the address.",
  "plant-unknown": "No plant of your account has this id. It may have been removed.",
  "not-found": "It may be older than the events that are kept, or belong to another account.",
  "method-not-allowed": "The reference lists the methods of each address.",
  "not-acceptable": "Send Accept: application/json, or one of the types that the reference names for this address.",
  "request-timeout": "Send the body without a pause. The connection may be slow, or the program stopped in the middle.",
  "id-taken": "Choose another id, or change the existing plant with PATCH.",
  "account-limit": "Remove what you no longer need. The message names the limit.",
  "cursor-expired": "Export all plants, and go on from the cursor that comes with the export.",
  "precondition-failed": "Somebody changed the plant since you read it. Read it again and repeat your change.",
  "body-too-large": "Send less than 1 MiB at once, or import many plants as NDJSON or CSV.",
  "media-type-unsupported": "Send Content-Type: application/json.",
  "rate-limited": "Wait as long as the header Retry-After says, and send fewer requests at once.",
  "method-unknown": "Write the method in capitals, for example POST.",
  fault: "This is a fault of Plantstore. Repeat the request, and report the request id if it fails again.",
  unavailable: "Plantstore is busy or its storage is full. Repeat the request after a moment.",
};

const SHAPES = [...Object.values(ERRORS), ...Object.values(DASHBOARD_ERRORS)];

export function errorMeaning(error: number): string {
  const shape = SHAPES.find((each) => each.error === error);
  return plainText(shape?.when ?? `HTTP status ${Math.floor(error / 100)}`);
}

export function errorHelp(error: number): string | undefined {
  const code = Object.keys(REMEDIES).find((each) => ERROR_NUMBERS[each as Code] === error);
  return code && REMEDIES[code as Code];
}
