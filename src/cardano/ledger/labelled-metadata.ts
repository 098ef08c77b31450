import { z } from 'zod';
import type { LedgerHttp } from './http.ts';
import { labelledMetadata, type LabelledMetadata } from './responses.ts';

const PAGE = 100;

/** The metadata under a label of all transactions, oldest first. */
export async function* metadataOf(http: LedgerHttp, label: number): AsyncIterable<LabelledMetadata> {
  for (let page = 1; ; page += 1) {
    const query = { count: PAGE, page, order: 'asc' };
    const found = await http.find(`/metadata/txs/labels/${label}`, z.array(labelledMetadata), query);
    yield* found ?? [];
    // This list has a 404 instead of an empty page after its last one.
    if (!found || found.length < PAGE) return;
  }
}
