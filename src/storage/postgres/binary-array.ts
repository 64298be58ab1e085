/** Types of array elements, by their OID in pg_type. */
const INT8_OID = 20;
const TEXT_OID = 25;
/** Dimensions, a flag for nulls, the element type, the length and the lower bound, 4 bytes each. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const INT8_BYTES = 8;
const NULL_LENGTH = -1;
/** A UTF-16 unit takes at most 3 bytes in UTF-8. */
const BYTES_PER_UNIT_MAX = 3;

/**
 * Arrays in PostgreSQL's binary format (array_send in its arrayfuncs.c), which the driver sends unchanged. In the text
 * format each element would be quoted here and parsed there.
 */
export function int8Array(values: readonly (bigint | number)[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + INT8_BYTES));
  let offset = writeHeader(bytes, INT8_OID, values.length, false);
  for (const value of values) {
    offset = bytes.writeInt32BE(INT8_BYTES, offset);
    offset = bytes.writeBigInt64BE(BigInt(value), offset);
  }
  return bytes;
}

export function textArray(values: readonly (string | null)[]): Buffer {
  let bytesMax = HEADER_BYTES;
  let hasNull = false;
  for (const value of values) {
    bytesMax += LENGTH_BYTES + (value?.length ?? 0) * BYTES_PER_UNIT_MAX;
    hasNull ||= value === null;
  }
  const bytes = Buffer.allocUnsafe(bytesMax);
  let offset = writeHeader(bytes, TEXT_OID, values.length, hasNull);
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : bytes.write(value, offset + LENGTH_BYTES, "utf8");
    offset = bytes.writeInt32BE(length, offset) + Math.max(0, length);
  }
  return bytes.subarray(0, offset);
}

function writeHeader(bytes: Buffer, type: number, length: number, hasNull: boolean): number {
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(hasNull ? 1 : 0, 4);
  bytes.writeInt32BE(type, 8);
  bytes.writeInt32BE(length, 12);
  return bytes.writeInt32BE(1, 16);
}
