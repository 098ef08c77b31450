import type { Block } from './blocks.ts';
import type { ChainState } from './chain-state.ts';
import { notFound } from './http-response.ts';
import { network, slotTime } from './network.ts';
import type { Amounts, OutputView, TransactionView } from './transaction-view.ts';

/** Amounts as Blockfrost lists them. */
export function presentAmounts(amounts: Amounts): { unit: string; quantity: string }[] {
  return [...amounts].map(([unit, quantity]) => ({ unit, quantity: String(quantity) }));
}

/** The sum of several amounts; lovelace is listed even when there is none. */
export function sumAmounts(all: Iterable<Amounts>): Amounts {
  const sum: Amounts = new Map([['lovelace', 0n]]);
  for (const amounts of all) {
    for (const [unit, quantity] of amounts) sum.set(unit, (sum.get(unit) ?? 0n) + quantity);
  }
  return sum;
}

/** The block at a height that must be there, because a confirmed transaction names it. */
export function blockAt(chain: ChainState, height: number): Block {
  const block = chain.blocks.at(height);
  if (!block) throw notFound();
  return block;
}

/** A block in the shape of GET /blocks/{hash_or_number}. */
export function presentBlock(chain: ChainState, block: Block) {
  const views = block.transactions.map(chain.viewOf);
  const lovelace = sumAmounts(views.flatMap((view) => view.outputs.map((output) => output.amounts))).get('lovelace');
  const fees = views.reduce((sum, view) => sum + view.fee, 0n);
  return {
    time: slotTime(block.slot),
    height: block.height,
    hash: block.hash,
    slot: block.slot,
    epoch: Math.floor(block.slot / network.epochSlots),
    epoch_slot: block.slot % network.epochSlots,
    slot_leader: 'pool1embedded',
    size: views.reduce((sum, view) => sum + view.cbor.length, 4),
    tx_count: views.length,
    output: views.length > 0 ? String(lovelace) : null,
    fees: views.length > 0 ? String(fees) : null,
    block_vrf: null,
    op_cert: null,
    op_cert_counter: null,
    previous_block: chain.blocks.at(block.height - 1)?.hash ?? null,
    next_block: chain.blocks.at(block.height + 1)?.hash ?? null,
    confirmations: chain.blocks.tip().height - block.height,
  };
}

/** The part of a transaction that does not depend on a block: GET /mempool/{hash} and GET /txs/{hash} share it. */
export function presentTransaction(view: TransactionView) {
  return {
    hash: view.hash,
    output_amount: presentAmounts(sumAmounts(view.outputs.map((output) => output.amounts))),
    fees: String(view.fee),
    deposit: '0',
    size: ledgerSize(view.cbor),
    invalid_before: view.validFrom,
    invalid_hereafter: view.validUntil,
    utxo_count: view.inputs.length + view.outputs.length,
    withdrawal_count: view.withdrawals,
    mir_cert_count: 0,
    delegation_count: 0,
    stake_cert_count: view.certificates,
    pool_update_count: 0,
    pool_retire_count: 0,
    asset_mint_or_burn_count: view.mint.size,
    redeemer_count: 0,
    valid_contract: true,
  };
}

/** A transaction since Alonzo is a list of four, one of them the byte that says whether its scripts succeeded. */
const LIST_OF_FOUR = 0x84;

/** The size as the ledger counts it for the fee: without the byte of the validity. */
function ledgerSize(cbor: Uint8Array): number {
  return cbor[0] === LIST_OF_FOUR ? cbor.length - 1 : cbor.length;
}

/** The fields every listed output has. */
export function presentOutput(output: OutputView, index: number) {
  return {
    address: output.address,
    amount: presentAmounts(output.amounts),
    output_index: index,
    data_hash: output.dataHash,
    inline_datum: output.inlineDatum,
    reference_script_hash: output.scriptHash,
  };
}
