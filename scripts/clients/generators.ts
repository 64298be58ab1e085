import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A generator of clients with the commands that make, compile and run one. They run in a folder of their own. */
export interface Generator {
  readonly name: string;
  /** The name of its example in docs/clients.md, where one generator of each language is shown. */
  readonly example?: string;
  readonly language: string;
  /** Programs without which it is skipped. */
  readonly needs: readonly string[];
  /** The program in `programs/` that uses the client, and its path in the client's folder. */
  readonly program: readonly [file: string, path: string];
  /** Files in `programs/` that the generator or the client needs beside the program, under their own names. */
  readonly beside?: readonly string[];
  /** The command that a user types, with the address of the document as `$DOCUMENT`. */
  readonly generate: string;
  readonly compile: string;
  readonly run: string;
}

const OPENAPI_GENERATOR = "openapi-generator-cli generate -i $DOCUMENT";
const TYPE_CHECK =
  "tsc --noEmit --strict --skipLibCheck --target esnext --module preserve --allowImportingTsExtensions --types bun";

export const GENERATORS: readonly Generator[] = [
  {
    name: "openapi-generator java",
    example: "clientJava",
    language: "Java",
    needs: ["java", "mvn"],
    program: ["Main.java", "src/main/java/Main.java"],
    generate: `${OPENAPI_GENERATOR} -g java --library native -o .`,
    compile: "mvn -q -B -DskipTests compile dependency:build-classpath -Dmdep.outputFile=classpath",
    run: 'java -cp "target/classes:$(cat classpath)" Main',
  },
  {
    name: "openapi-generator go",
    example: "clientGoOpenApiGenerator",
    language: "Go",
    needs: ["java", "mvn", "go"],
    program: ["openapi-generator.go", "main.go"],
    generate: `${OPENAPI_GENERATOR} -g go --git-host example.com --git-user-id plantstore --git-repo-id plantstore --additional-properties=packageName=plantstore -o plantstore`,
    compile:
      "rm -rf plantstore/test && go mod init example.com/client && go mod edit -require example.com/plantstore/plantstore@v0.0.0 -replace example.com/plantstore/plantstore=./plantstore && go mod tidy && go build -o client .",
    run: "./client",
  },
  {
    name: "oapi-codegen",
    language: "Go",
    needs: ["go"],
    program: ["oapi-codegen.go", "main.go"],
    generate: "mkdir -p api && oapi-codegen -generate types,client -package api -o api/client.gen.go $DOCUMENT",
    compile: "go mod init example.com/plantstore && go mod tidy && go build -o client .",
    run: "./client",
  },
  {
    name: "openapi-generator python",
    example: "clientPythonOpenApiGenerator",
    language: "Python",
    needs: ["java", "mvn", "python3"],
    program: ["openapi-generator.py", "program.py"],
    generate: `${OPENAPI_GENERATOR} -g python -o .`,
    compile: "pip install -q -r requirements.txt && python -m compileall -q openapi_client",
    run: "python program.py",
  },
  {
    name: "openapi-python-client",
    language: "Python",
    needs: ["python3"],
    program: ["openapi-python-client.py", "program.py"],
    generate: "openapi-python-client generate --url $DOCUMENT --output-path generated",
    compile: "python -m compileall -q generated",
    run: "PYTHONPATH=generated python program.py",
  },
  {
    name: "openapi-generator rust",
    example: "clientRust",
    language: "Rust",
    needs: ["java", "mvn", "cargo"],
    program: ["main.rs", "src/main.rs"],
    generate: `${OPENAPI_GENERATOR} -g rust -o openapi`,
    compile: "cargo build --quiet",
    run: "cargo run --quiet",
  },
  {
    name: "openapi-generator typescript-fetch",
    language: "TypeScript",
    needs: ["java", "mvn"],
    program: ["typescript-fetch.ts", "program.ts"],
    generate: `${OPENAPI_GENERATOR} -g typescript-fetch -o generated`,
    compile: `${TYPE_CHECK} program.ts`,
    run: "bun program.ts",
  },
  {
    name: "openapi-typescript",
    language: "TypeScript",
    needs: [],
    program: ["openapi-typescript.ts", "program.ts"],
    generate: "openapi-typescript $DOCUMENT -o plantstore.d.ts",
    compile: `${TYPE_CHECK} program.ts`,
    run: "bun program.ts",
  },
  {
    name: "hey-api",
    language: "TypeScript",
    needs: ["npm"],
    program: ["hey-api.ts", "program.ts"],
    generate: "openapi-ts -i $DOCUMENT -o generated -c @hey-api/client-fetch",
    compile: `${TYPE_CHECK} program.ts`,
    run: "bun program.ts",
  },
  {
    name: "orval",
    example: "clientOrval",
    language: "TypeScript",
    needs: ["npm"],
    program: ["orval.ts", "program.ts"],
    beside: ["orval.config.mjs", "exact-json.ts"],
    generate: "orval --config orval.config.mjs",
    compile: `${TYPE_CHECK} program.ts`,
    run: "bun program.ts",
  },
];

/** The examples in docs/clients.md, by name: the command, and the part of the program that a reader needs. */
export const EXAMPLES = {
  ...Object.fromEntries(
    GENERATORS.flatMap((generator) => (generator.example ? [[generator.example, () => shown(generator)]] : [])),
  ),
  clientCommands: () =>
    GENERATORS.filter(({ example }) => !example)
      .map(listed)
      .join("\n"),
};

function listed({ name, generate, program: [file] }: Generator): string {
  return `- [${name}](../scripts/clients/programs/${file}): \`${command(generate)}\``;
}

const command = (generate: string) => generate.replaceAll("$DOCUMENT", "http://127.0.0.1:3000/openapi.json");

function shown({ generate, program: [file], beside = [] }: Generator): string {
  const source = sourceOf(file);
  const [, code = ""] = /^[ \t]*(?:\/\/|#) docs:start\n([\s\S]*?)^[ \t]*(?:\/\/|#) docs:end$/m.exec(source) ?? [];
  const others = beside.map((name) => block(name, `// ${name}\n${sourceOf(name)}`));
  return [`\`\`\`sh\n${command(generate)}\n\`\`\``, ...others, block(file, code)].join("\n\n");
}

function sourceOf(file: string): string {
  return readFileSync(join(import.meta.dir, "programs", file), "utf8");
}

function block(file: string, code: string): string {
  return `\`\`\`${file.split(".").at(-1)}\n${code.trimEnd()}\n\`\`\``;
}
