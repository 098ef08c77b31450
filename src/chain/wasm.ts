/** An object of the serialization library whose memory the garbage collector does not manage. */
interface Freeable {
  free(): void;
}

/** Uses a WASM object and frees its memory at once; waiting for the collector doubles the memory of the process (notes, cardano.md section 1). */
export function withWasm<Owned extends Freeable, Result>(owned: Owned, use: (owned: Owned) => Result): Result {
  try {
    return use(owned);
  } finally {
    owned.free();
  }
}

/** Runs library calls and converts the strings that they throw to Errors. */
export function toErrors<Result>(calls: () => Result): Result {
  try {
    return calls();
  } catch (cause) {
    if (cause instanceof Error) throw cause;
    throw new Error(`cardano-serialization-lib: ${String(cause)}`, { cause });
  }
}
