/** An encrypted value as it is stored; data, IV and tag in base64. @see spec, "Authentication" 10 */
export interface Encrypted {
  /** Names the key; absent from values that were stored before keys had ids. */
  readonly key?: string;
  readonly data: string;
  readonly iv: string;
  readonly tag: string;
}

/** The cell that a value belongs to. It is authenticated, so a value cannot be moved to another row. */
export interface CellAddress {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}
