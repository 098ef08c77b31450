import { z } from 'zod';
import { ServiceError } from '../../platform/errors.ts';
import { mapInBatches } from '../../platform/async.ts';
import { refText, type UtxoRef } from '../../transactions/rules.ts';
import { type LedgerRule, rulesIn } from './ledger-rules.ts';
import * as responses from './responses.ts';
import { type LedgerHttp, ledgerHttp, type LedgerOptions, reasonIn } from './http.ts';
import type { ProtocolParameters } from './parameters.ts';
import type { SlotAnchor } from './slots.ts';
import type { Utxo } from '../transaction.ts';

/** Result of submitting a transaction. `unknown` = the ledger may or may not have it: send the same bytes again. */
export type SubmitResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly rules: readonly LedgerRule[] }
  | { readonly kind: 'unknown' };

/** The calls of the Blockfrost API that the service needs. Every call except `submit` throws LEDGER_UNAVAILABLE; null = not on chain (yet). */
export interface Ledger {
  protocolParameters(): Promise<ProtocolParameters>;
  /** Slot and time of the tip, and the slot length, which never changes and is read once. */
  slotAnchor(): Promise<SlotAnchor>;
  /** Asked for once. */
  slotLengthMs(): Promise<number>;
  latestBlock(): Promise<responses.Block>;
  block(hashOrHeight: string | number): Promise<responses.Block | null>;
  /** Up to 100 blocks after the given one, oldest first; null when that block is not on chain (any more). */
  nextBlocks(hashOrHeight: string | number): Promise<readonly responses.Block[] | null>;
  /** Transaction hashes in block order, as many as the block has; a response with another number throws LEDGER_UNAVAILABLE. */
  blockTransactions(block: Pick<responses.Block, 'hash' | 'txCount'>): Promise<readonly string[]>;
  /** The addresses that a block's transactions spend from or pay to; null when the backend does not list them, or has no such block. */
  blockAddresses(hash: string): Promise<readonly string[] | null>;
  utxos(address: string): Promise<readonly Utxo[]>;
  /** Those that the platform pays with: ADA only and enough of it, without datum or reference script, which anybody may send it. */
  payingUtxos(address: string): Promise<readonly Utxo[]>;
  /**
   * Of an address that a caller names: at most 1,000 UTxOs, so that no request reads pages without end, and besides at most as many
   * that hold each of `units` (policy id + name).
   */
  walletUtxos(address: string, units?: readonly string[]): Promise<readonly Utxo[]>;
  /** At most `limit` addresses that have had the key of a stake address. */
  stakeAddresses(stakeAddress: string, limit: number): Promise<readonly string[]>;
  /** Of a vault's custody: at most 5,000, the oldest, because anybody may send to it, and more until all of `expected` are among them. */
  custodyUtxos(address: string, expected?: readonly UtxoRef[]): Promise<readonly Utxo[]>;
  /**
   * Newest first, one page at a time on demand: an address may have a long history. A ledger that knows how leaves out what is in blocks
   * above `upTo`.
   */
  addressTransactions(address: string, upTo?: number): AsyncIterable<responses.AddressTransaction>;
  transaction(hash: string): Promise<responses.LedgerTransaction | null>;
  transactionUtxos(hash: string): Promise<responses.TransactionUtxos | null>;
  transactionCbor(hash: string): Promise<string | null>;
  /** The metadata under a label of all transactions, oldest first, one page at a time on demand. */
  metadataOf(label: number): AsyncIterable<responses.LabelledMetadata>;
  /** Minted less burned base units of an asset (policy id + name). */
  assetSupply(unit: string): Promise<bigint | null>;
  /** Sends signed bytes once; never throws for a network error or a response of the ledger. */
  submit(cborHex: string): Promise<SubmitResult>;
}

/** A ledger behind a Blockfrost-shaped API (hosted, self-hosted or embedded). */
export function createLedger(options: LedgerOptions): Ledger {
  const http = ledgerHttp(options);
  const latestBlock = () => http.get('/blocks/latest', responses.block);
  let known: responses.Genesis | null = null;
  const genesis = async () => (known ??= await http.get('/genesis', responses.genesis));
  return {
    protocolParameters: () => http.get('/epochs/latest/parameters', responses.protocolParameters),
    async slotAnchor() {
      const [tip, { slotLengthMs }] = await Promise.all([latestBlock(), genesis()]);
      return { slot: tip.slot, time: tip.time, slotLengthMs };
    },
    slotLengthMs: async () => (await genesis()).slotLengthMs,
    latestBlock,
    block: (id) => http.find(`/blocks/${id}`, responses.block),
    nextBlocks: (id) => http.find(`/blocks/${id}/next`, z.array(responses.block), { count: 100, page: 1 }),
    blockTransactions: (block) => blockTransactions(http, block),
    blockAddresses: (hash) => blockAddresses(http, `/blocks/${hash}/addresses`),
    utxos: (address) => http.all(`/addresses/${address}/utxos`, z.array(responses.utxo)),
    payingUtxos: (address) => payingUtxos(http, address),
    walletUtxos: (address, units) => walletUtxos(http, address, units),
    stakeAddresses: (stakeAddress, limit) =>
      http.first(`/accounts/${stakeAddress}/addresses`, z.array(responses.accountAddress), limit),
    custodyUtxos: (address, expected) => custodyUtxos(http, address, expected),
    addressTransactions: (address, upTo) =>
      http.each(`/addresses/${address}/transactions`, z.array(responses.addressTransaction), {
        order: 'desc',
        ...(upTo !== undefined && { to: upTo }),
      }),
    transaction: (hash) => http.find(`/txs/${hash}`, responses.transaction),
    transactionUtxos: (hash) => http.find(`/txs/${hash}/utxos`, responses.transactionUtxos),
    transactionCbor: (hash) => http.find(`/txs/${hash}/cbor`, responses.transactionCbor),
    metadataOf: (label) => metadataOf(http, label),
    assetSupply: (unit) => http.find(`/assets/${unit}`, responses.assetSupply),
    submit: (cborHex) => submit(http, cborHex, options.onNotAccepted),
  };
}

/** What is smaller pays for little more than its own bytes. */
const MIN_PAYING_LOVELACE = 2_000_000n;

/** More than the operator ever has; what strangers send beyond that is not read. */
const MAX_OPERATOR_UTXOS = 5_000;

async function payingUtxos(http: LedgerHttp, address: string): Promise<Utxo[]> {
  const path = `/addresses/${address}/utxos`;
  const found = await http.first(path, z.array(responses.utxoWithExtras), MAX_OPERATOR_UTXOS);
  const paying = found.filter(
    ({ hasExtras, assets, lovelace }) => !hasExtras && assets.size === 0 && lovelace >= MIN_PAYING_LOVELACE,
  );
  return paying.map(withoutExtras);
}

const MAX_WALLET_UTXOS = 1_000;
/** One page of those that hold a unit. */
const MAX_HOLDING_UTXOS = 100;
/** A request may name a hundred units, and a stranger's address. */
const ASKED_AT_ONCE = 4;
const MAX_CUSTODY_UTXOS = 5_000;

async function custodyUtxos(http: LedgerHttp, address: string, expected: readonly UtxoRef[] = []): Promise<Utxo[]> {
  const unseen = new Set(expected.map(refText));
  const found = [];
  for await (const utxo of http.each(`/addresses/${address}/utxos`, z.array(responses.utxo))) {
    found.push(utxo);
    unseen.delete(refText(utxo));
    if (found.length >= MAX_CUSTODY_UTXOS && unseen.size === 0) break;
  }
  return found;
}

async function walletUtxos(http: LedgerHttp, address: string, units: readonly string[] = []): Promise<Utxo[]> {
  const path = `/addresses/${address}/utxos`;
  const read = (from: string, limit: number) => http.first(from, z.array(responses.utxoWithExtras), limit);
  const found = await read(path, MAX_WALLET_UTXOS);
  const readHolding = (unit: string) => read(`${path}/${unit}`, MAX_HOLDING_UTXOS);
  const holding = found.length < MAX_WALLET_UTXOS ? [] : await mapInBatches(units, ASKED_AT_ONCE, readHolding);
  const all = new Map([...found, ...holding.flat()].map((utxo) => [`${utxo.txHash}#${utxo.index}`, utxo]));
  // The ledger asks a fee for the bytes of a reference script in an input, which nobody can tell from its hash.
  return [...all.values()].filter(({ hasReferenceScript }) => !hasReferenceScript).map(withoutExtras);
}

function withoutExtras({
  hasExtras: _,
  hasReferenceScript: _script,
  ...utxo
}: z.output<typeof responses.utxoWithExtras>): Utxo {
  return utxo;
}

/** A lagging backend knows a block before its transactions, so fewer than its header counts mean unavailable, never empty (design D45). */
async function blockTransactions(
  http: LedgerHttp,
  { hash, txCount }: Pick<responses.Block, 'hash' | 'txCount'>,
): Promise<readonly string[]> {
  if (txCount === 0) return [];
  const hashes = await http.all(`/blocks/${hash}/txs`, z.array(z.string()), { order: 'asc' });
  if (new Set(hashes).size === txCount && hashes.length === txCount) return hashes;
  const reason = `it lists ${hashes.length} of the ${txCount} transactions of block ${hash}`;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason });
}

const METADATA_PAGE = 100;

async function* metadataOf(http: LedgerHttp, label: number): AsyncIterable<responses.LabelledMetadata> {
  for (let page = 1; ; page += 1) {
    const query = { count: METADATA_PAGE, page, order: 'asc' };
    const found = await http.find(`/metadata/txs/labels/${label}`, z.array(responses.labelledMetadata), query);
    yield* found ?? [];
    // This list has a 404 instead of an empty page after its last one.
    if (!found || found.length < METADATA_PAGE) return;
  }
}

async function blockAddresses(http: LedgerHttp, path: string): Promise<readonly string[] | null> {
  const schema = z.array(responses.blockAddress);
  const found = await http.all(path, schema);
  // Only a block without transactions has an empty list.
  return found.length > 0 ? found : http.find(path, schema);
}

async function submit(
  http: LedgerHttp,
  cborHex: string,
  onNotAccepted: LedgerOptions['onNotAccepted'],
): Promise<SubmitResult> {
  let sent: { status: number; text: string };
  try {
    sent = await http.post('/tx/submit', 'application/cbor', Uint8Array.from(Buffer.from(cborHex, 'hex')));
  } catch (cause) {
    onNotAccepted?.({ text: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) });
    return { kind: 'unknown' };
  }
  const { status, text } = sent;
  // 409 is Dolos': already in its mempool.
  if (status === 409 || (status === 200 && responses.submittedHash.safeParse(text).success))
    return { kind: 'accepted' };
  onNotAccepted?.({ status, text: reasonIn(text) });
  return status === 400 || status === 413 ? { kind: 'refused', rules: rulesIn(text) } : { kind: 'unknown' };
}
