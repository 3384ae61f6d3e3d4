/** The files in a tar archive, as the API gives a job's output. */

const BLOCK = 512;
const decoder = new TextDecoder();

function text(bytes, from, length) {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

/** A size is octal, or binary where it is large. */
function size(bytes, from) {
  if (bytes[from] & 0x80) {
    return bytes.subarray(from + 4, from + 12).reduce((sum, byte) => sum * 256 + byte, 0);
  }
  return parseInt(text(bytes, from, 12).trim() || '0', 8);
}

/** The content of the first regular file; null where there is none. */
export function firstFile(bytes) {
  for (let at = 0; at + BLOCK <= bytes.length;) {
    if (bytes[at] === 0) {
      return null;
    }
    const length = size(bytes, at + 124);
    const type = String.fromCharCode(bytes[at + 156]);
    if (type === '0' || type === '\0') {
      return bytes.subarray(at + BLOCK, at + BLOCK + length);
    }
    at += BLOCK + Math.ceil(length / BLOCK) * BLOCK;
  }
  return null;
}
