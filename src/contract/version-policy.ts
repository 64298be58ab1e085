export const VERSION_POLICY: readonly string[] = [
  "An address without a version means 1.0.0.",
  "Adding a member, address, error number, event type, enum value or header does not create a new version. Clients ignore what they do not know.",
  "Removing or renaming something, narrowing it, or changing its meaning is a new version, under an address of its own.",
  "The names of operations and schemas in the OpenAPI document belong to the version: some may be added, none is renamed.",
  "A version that is to end says so in every answer, by the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link, at least 18 months before, or sooner if security demands it.",
  "After its end every address of the version answers 410 with error 41002, and the message names the version that follows.",
  "An event has the shape of the version that it names. A webhook endpoint keeps the version under which it was created.",
];
