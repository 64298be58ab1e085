/** What a program that is linked with a library looks up in it. */
export interface LibrarySymbols {
  readonly functions: readonly string[];
  /** Each holds eight bytes of zero. */
  readonly objects: readonly string[];
}

const PAGE = 0x1000;
const [READ, WRITE, EXECUTE] = [4, 2, 1];
const [LOAD, DYNAMIC, STACK] = [1, 2, 0x6474e551];
/** `mov eax, 1; ret` */
const RETURN_1 = Buffer.from("b801000000c3", "hex");

/**
 * A shared library for Linux on x86-64 whose functions do nothing but return 1 (System V ABI, chapters 4 and 5): it lets a
 * program load that would never get far enough to miss the real one. Its first page is code and names, its second one is data.
 */
export function stubLibrary(name: string, { functions, objects }: LibrarySymbols): Buffer {
  const library = Buffer.alloc(2 * PAGE);
  const names = [name, ...functions, ...objects];
  const symbolCount = functions.length + objects.length + 1;
  const [symbolsAt, hashAt] = [0x200, 0x200 + 24 * symbolCount];
  const stringsAt = hashAt + 4 * (3 + symbolCount);
  const strings = Buffer.from(`\0${names.join("\0")}\0`, "latin1");
  const codeAt = Math.ceil((stringsAt + strings.length) / 16) * 16;
  const [dynamicAt, zeroAt] = [PAGE, PAGE + 0x200];
  const nameAt = (text: string) => strings.indexOf(`\0${text}\0`, 0, "latin1") + 1;

  library.set(Buffer.from("7f454c4602010100000000000000000003003e0001000000", "hex"));
  library.writeUInt32LE(64, 32); // The program headers follow this one.
  [64, 56, 4, 64, 0, 0].forEach((size, at) => void library.writeUInt16LE(size, 52 + 2 * at));
  [
    { type: LOAD, flags: READ + EXECUTE, at: 0, size: PAGE },
    { type: LOAD, flags: READ + WRITE, at: PAGE, size: PAGE },
    { type: DYNAMIC, flags: READ + WRITE, at: dynamicAt, size: 16 * 7 },
    { type: STACK, flags: READ + WRITE, at: 0, size: 0 },
  ].forEach(({ type, flags, at, size }, header) => {
    library.writeUInt32LE(type, 64 + 56 * header);
    library.writeUInt32LE(flags, 68 + 56 * header);
    [at, at, at, size, size, PAGE].forEach((value, member) => {
      library.writeBigUInt64LE(BigInt(value), 72 + 56 * header + 8 * member);
    });
  });

  const symbols = [
    ...functions.map((text) => ({ text, info: 0x12, at: codeAt, size: RETURN_1.length })),
    ...objects.map((text) => ({ text, info: 0x11, at: zeroAt, size: 8 })),
  ];
  symbols.forEach(({ text, info, at, size }, index) => {
    const symbol = symbolsAt + 24 * (index + 1);
    library.writeUInt32LE(nameAt(text), symbol);
    library.writeUInt8(info, symbol + 4);
    library.writeUInt16LE(1, symbol + 6);
    library.writeBigUInt64LE(BigInt(at), symbol + 8);
    library.writeBigUInt64LE(BigInt(size), symbol + 16);
  });
  // All symbols are in one chain: 1, 2, 3, …, 0.
  [1, symbolCount, 1, 0].forEach((value, at) => void library.writeUInt32LE(value, hashAt + 4 * at));
  symbols.slice(1).forEach((_, at) => void library.writeUInt32LE(at + 2, hashAt + 4 * (at + 4)));
  library.set(strings, stringsAt);
  library.set(RETURN_1, codeAt);
  const [HASH, STRTAB, SYMTAB, STRSZ, SYMENT, SONAME] = [4, 5, 6, 10, 11, 14];
  [HASH, hashAt, STRTAB, stringsAt, SYMTAB, symbolsAt, STRSZ, strings.length, SYMENT, 24, SONAME, nameAt(name)].forEach(
    (value, at) => void library.writeBigUInt64LE(BigInt(value), dynamicAt + 8 * at),
  );
  return library;
}
