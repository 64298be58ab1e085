/** A generator of clients with the commands that make, compile and run one. They run in a folder of their own. */
export interface Generator {
  readonly name: string;
  readonly language: string;
  /** Programs without which it is skipped. */
  readonly needs: readonly string[];
  /** The program in `programs/` that uses the client, and its path in the client's folder. */
  readonly program: readonly [file: string, path: string];
  /** The command that a user types, with the address of the document as `$DOCUMENT`. */
  readonly generate: string;
  readonly compile: string;
  readonly run: string;
}

const OPENAPI_GENERATOR = "openapi-generator-cli generate -i $DOCUMENT";
const GO_MODULE = "--git-host example.com --git-user-id plantstore --git-repo-id plantstore";
export const GENERATORS: readonly Generator[] = [
  {
    name: "openapi-generator java",
    language: "Java",
    needs: ["java", "mvn"],
    program: ["Main.java", "src/main/java/Main.java"],
    generate: `${OPENAPI_GENERATOR} -g java --library native -o .`,
    compile: "mvn -q -B -DskipTests compile dependency:build-classpath -Dmdep.outputFile=classpath",
    run: 'java -cp "target/classes:$(cat classpath)" Main',
  },
  {
    name: "openapi-generator go",
    language: "Go",
    needs: ["java", "mvn", "go"],
    program: ["openapi-generator.go", "main.go"],
    generate: `${OPENAPI_GENERATOR} -g go ${GO_MODULE} --additional-properties=packageName=plantstore -o plantstore`,
    compile:
      "rm -rf plantstore/test && go mod init example.com/client && go mod edit -require example.com/plantstore/plantstore@v0.0.0 -replace example.com/plantstore/plantstore=./plantstore && go mod tidy && go build -o client .",
    run: "./client",
  },
  {
    name: "openapi-generator python",
    language: "Python",
    needs: ["java", "mvn", "python3"],
    program: ["openapi-generator.py", "program.py"],
    generate: `${OPENAPI_GENERATOR} -g python -o .`,
    compile:
      "python3 -m venv own && own/bin/pip install -q -r requirements.txt && own/bin/python -m compileall -q openapi_client",
    run: "own/bin/python program.py",
  },
  {
    name: "openapi-generator rust",
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
    compile:
      "tsc --noEmit --strict --skipLibCheck --target esnext --module preserve --allowImportingTsExtensions --types bun program.ts",
    run: "bun program.ts",
  },
];

/** The list in docs/clients.md: the command of each generator, and the program that uses its client. */
export function commandList(): string {
  return GENERATORS.map(({ name, generate, program: [file] }) => {
    const command = generate.replaceAll("$DOCUMENT", "http://127.0.0.1:3000/openapi.json");
    return `- ${name}: [${file}](../scripts/clients/programs/${file})\n\n  \`\`\`sh\n  ${command}\n  \`\`\``;
  }).join("\n");
}
