import { z } from 'zod';
import * as answers from './responses.ts';
import { type LedgerHttp, ledgerHttp, type LedgerOptions, reasonIn } from './http.ts';
import type { ProtocolParameters } from './parameters.ts';
import type { SlotAnchor } from './slots.ts';
import type { Utxo } from '../transaction.ts';

/** What came of sending a transaction. `unknown` = it may or may not have arrived: send the same bytes again. */
export type SubmitResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The Blockfrost API, as far as the service needs it. Every call but `submit` throws LEDGER_UNAVAILABLE; null = not on chain (yet). */
export interface Ledger {
  protocolParameters(): Promise<ProtocolParameters>;
  /** The tip's slot and time with the network's slot length, which never changes and is asked for once. */
  slotAnchor(): Promise<SlotAnchor>;
  latestBlock(): Promise<answers.Block>;
  block(hashOrHeight: string | number): Promise<answers.Block | null>;
  /** Up to 100 blocks after the given one, oldest first; null when that block is not on chain (any more). */
  nextBlocks(hashOrHeight: string | number): Promise<readonly answers.Block[] | null>;
  /** Transaction hashes in block order. */
  blockTransactions(hashOrHeight: string | number): Promise<readonly string[]>;
  utxos(address: string): Promise<readonly Utxo[]>;
  /** Newest first, a page at a time while they are asked for: an address may have a long history. */
  addressTransactions(address: string): AsyncIterable<answers.AddressTransaction>;
  transaction(hash: string): Promise<answers.LedgerTransaction | null>;
  transactionUtxos(hash: string): Promise<answers.TransactionUtxos | null>;
  transactionCbor(hash: string): Promise<string | null>;
  /** Sends signed bytes once; never throws for what the network or the ledger answers. */
  submit(cborHex: string): Promise<SubmitResult>;
}

/** A ledger behind a Blockfrost-shaped API (hosted, self-hosted or embedded). */
export function createLedger(options: LedgerOptions): Ledger {
  const http = ledgerHttp(options);
  const latestBlock = () => http.get('/blocks/latest', answers.block);
  let known: answers.Genesis | null = null;
  const genesis = async () => (known ??= await http.get('/genesis', answers.genesis));
  return {
    protocolParameters: () => http.get('/epochs/latest/parameters', answers.protocolParameters),
    async slotAnchor() {
      const [tip, { slotLengthMs }] = await Promise.all([latestBlock(), genesis()]);
      return { slot: tip.slot, time: tip.time, slotLengthMs };
    },
    latestBlock,
    block: (id) => http.find(`/blocks/${id}`, answers.block),
    nextBlocks: (id) => http.find(`/blocks/${id}/next`, z.array(answers.block), { count: 100, page: 1 }),
    blockTransactions: (id) => http.all(`/blocks/${id}/txs`, z.array(z.string()), { order: 'asc' }),
    utxos: (address) => http.all(`/addresses/${address}/utxos`, z.array(answers.utxo)),
    addressTransactions: (address) =>
      http.each(`/addresses/${address}/transactions`, z.array(answers.addressTransaction), { order: 'desc' }),
    transaction: (hash) => http.find(`/txs/${hash}`, answers.transaction),
    transactionUtxos: (hash) => http.find(`/txs/${hash}/utxos`, answers.transactionUtxos),
    transactionCbor: (hash) => http.find(`/txs/${hash}/cbor`, answers.transactionCbor),
    submit: (cborHex) => submit(http, cborHex),
  };
}

async function submit(http: LedgerHttp, cborHex: string): Promise<SubmitResult> {
  let sent: { status: number; text: string };
  try {
    sent = await http.post('/tx/submit', 'application/cbor', Uint8Array.from(Buffer.from(cborHex, 'hex')));
  } catch (cause) {
    return { kind: 'unknown', reason: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) };
  }
  const reason = `${sent.status} ${reasonIn(sent.text)}`.trim();
  switch (sent.status) {
    case 200:
      return answers.submittedHash.safeParse(sent.text).success ? { kind: 'accepted' } : { kind: 'unknown', reason };
    case 409: // Dolos: already in its mempool
      return { kind: 'accepted' };
    case 400:
    case 413:
      return { kind: 'refused', reason };
    default:
      return { kind: 'unknown', reason };
  }
}
