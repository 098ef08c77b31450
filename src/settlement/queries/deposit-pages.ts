import type { DepositRow } from '../../assets/queries/vault-deposits.ts';

/** More deposits than fit into one transaction. */
export const PAGE = 80;

/** Deposits a page at a time, so that a reader who has enough reads no more. */
export type DepositPages = AsyncIterable<readonly DepositRow[]>;

/** The place of a row in the order of its age, to the microsecond. */
export interface Place {
  readonly at: string;
  readonly deposit_id: string;
}

/** Before all rows. */
export const START: Place = { at: '-infinity', deposit_id: '00000000-0000-0000-0000-000000000000' };

/** Pages of rows in their order until one is not full. */
export async function* pagesOf(read: (after: Place) => Promise<(DepositRow & Place)[]>): AsyncGenerator<DepositRow[]> {
  let after = START;
  for (;;) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last;
  }
}

/** The pages with only what `keeps` accepts of them. */
export async function* keepOf(pages: DepositPages, keeps: (deposit: DepositRow) => boolean): DepositPages {
  for await (const page of pages) yield page.filter(keeps);
}
