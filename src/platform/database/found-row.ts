/** The tables whose rows are read one by one, so that one that cannot be read is left out. */
export const readTables = [
  'anchor_lanes',
  'assets',
  'chain_transactions',
  'investments',
  'outbox',
  'proposals',
  'stakes',
  'vaults',
  'votes',
] as const;
type ReadTable = (typeof readTables)[number];

/** A row that cannot be read: it was damaged, or no process of this release has written it. An operator has to mend it. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
  readonly table: ReadTable;
  readonly id: string;

  constructor(table: ReadTable, id: string, cause: unknown) {
    super(`row ${id} of ${table} cannot be read: ${String(cause)}`, { cause });
    this.table = table;
    this.id = id;
  }
}

/** Called with each row that was left out because it cannot be read. */
export type OnUnreadable = (row: UnreadableRow) => void;

/** A row that was found. Each is read alone, so that one that cannot be read keeps no other waiting (design D45). */
export interface FoundRow<Value> {
  readonly id: string;
  /** Throws UnreadableRow. */
  readonly read: () => Value;
}

/** A row of a table, to be read by `read`. */
export function foundRow<Row extends { readonly id: string }, Value>(
  table: ReadTable,
  row: Row,
  read: (row: Row) => Value,
): FoundRow<Value> {
  return {
    id: row.id,
    read() {
      try {
        return read(row);
      } catch (cause) {
        throw new UnreadableRow(table, row.id, cause);
      }
    },
  };
}

/** The rows that can be read; the others are left out. Throws what `read` throws otherwise. */
export function readEach<Value>(found: readonly FoundRow<Value>[], onUnreadable: OnUnreadable): Value[] {
  return found.flatMap(({ read }) => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      onUnreadable(error);
      return [];
    }
  });
}

/** Reports an error if it is about a row that cannot be read. */
export function reportUnreadable(error: unknown, onUnreadable: OnUnreadable): void {
  if (error instanceof UnreadableRow) onUnreadable(error);
}
