/** Anything the serialization library keeps outside the garbage collector's reach. */
interface Freeable {
  free(): void;
}

/** Uses one WASM object and gives its memory back at once: waiting for the collector doubles the process (notes, section 1). */
export function withWasm<Owned extends Freeable, Result>(owned: Owned, use: (owned: Owned) => Result): Result {
  try {
    return use(owned);
  } finally {
    owned.free();
  }
}

/** Runs library calls and turns the strings they throw into Errors. */
export function toErrors<Result>(calls: () => Result): Result {
  try {
    return calls();
  } catch (cause) {
    if (cause instanceof Error) throw cause;
    throw new Error(`cardano-serialization-lib: ${String(cause)}`, { cause });
  }
}
