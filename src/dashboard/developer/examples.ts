import type { Example } from "../components/example-block.tsx";

/** The plant that the quick start sends. */
export interface ExamplePlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
}

/** Shown in place of the token until one was created. */
export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

/** A first request that can be pasted and run unchanged. */
export function examples(baseUrl: string, token: string, plant: ExamplePlant): Example[] {
  const address = `${baseUrl}/v1/plants`;
  const json = `{"id": ${plant.id}, "name": ${JSON.stringify(plant.name)}, "tag": ${JSON.stringify(plant.tag)}}`;
  return [
    {
      language: "curl",
      code: `curl ${address} \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`,
    },
    {
      language: "TypeScript",
      code: `const answer = await fetch("${address}", {
  method: "POST",
  headers: {
    Authorization: "Bearer ${token}",
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${json}),
});
console.log(answer.status, await answer.json());`,
    },
    {
      language: "Python",
      code: `import json, urllib.request

request = urllib.request.Request(
    "${address}",
    data=json.dumps(${json}).encode(),
    headers={
        "Authorization": "Bearer ${token}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))`,
    },
  ];
}
