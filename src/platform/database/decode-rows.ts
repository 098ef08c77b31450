/** The tables whose rows are decoded one by one, each of which is a series of the metric of rows that cannot be decoded. */
export const decodedTables = [
  'anchor_chains',
  'assets',
  'chain_transactions',
  'investments',
  'outbox',
  'proposals',
  'stakes',
  'vaults',
] as const;
type DecodedTable = (typeof decodedTables)[number];

/** A row that cannot be decoded: it was damaged, or no process of this release has written it. An operator has to fix it. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
  readonly table: DecodedTable;
  readonly id: string;

  constructor(table: DecodedTable, id: string, cause: unknown) {
    super(`row ${id} of ${table} cannot be read: ${String(cause)}`, { cause });
    this.table = table;
    this.id = id;
  }
}

/** Called with each row that was left out because it cannot be decoded. */
export type OnUnreadable = (row: UnreadableRow) => void;

/** Decodes one row. Throws UnreadableRow, which names it. */
export function decodeRow<Value>(table: DecodedTable, id: string, decode: () => Value): Value {
  try {
    return decode();
  } catch (cause) {
    throw cause instanceof UnreadableRow ? cause : new UnreadableRow(table, id, cause);
  }
}

/**
 * Decodes each row by itself, for loops that serve several vaults or wallets: a damaged row stops no other (design D45). Rows for which
 * `decode` throws UnreadableRow are passed to `onBad` and left out.
 */
export function decodeRows<Row, Value>(
  rows: readonly Row[],
  decode: (row: Row) => Value,
  onBad: (error: UnreadableRow, row: Row) => void,
): Value[] {
  return rows.flatMap((row) => {
    try {
      return [decode(row)];
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      onBad(error, row);
      return [];
    }
  });
}
