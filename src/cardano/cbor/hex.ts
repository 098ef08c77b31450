/** The bytes of hex text in either case; none for text that is not hex. */
export function hexBytes(text: string): Buffer {
  return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
}
