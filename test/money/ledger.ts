import { createLedger, type Ledger } from '../../embedded/ledger/ledger.ts';
import { slotAt } from '../../embedded/ledger/network.ts';
import { noJournal } from '../../embedded/ledger/persistence.ts';
import type { Utxo } from '../../src/cardano/transaction.ts';
import { instant } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';

/** A ledger in this process, which knows every rule and keeps what it takes as fees. */
export interface MoneyLedger extends Pick<Ledger, 'moveClock'> {
  readonly slot: () => number;
  readonly utxosAt: (address: string) => Utxo[];
  readonly all: () => Utxo[];
  /** All of it that was ever paid. */
  readonly fees: () => bigint;
  /** Puts signed transactions into one block, in this order; throws what the ledger says against one. */
  readonly land: (signed: readonly string[]) => void;
  /** Takes the last block back. */
  readonly rollBack: () => void;
}

const START = instant(Date.parse('2026-11-23T12:00:00Z'));
export const startSlot = slotAt(START);

/** A ledger on which each of these addresses has this much, in several outputs. */
export async function openMoneyLedger(addresses: readonly string[], amount: bigint): Promise<MoneyLedger> {
  const fundings = addresses.map((address) => ({ address, lovelace: amount / 4n, count: 4 }));
  const clock = { now: () => START };
  const ledger = await createLedger({ hasOwnSlots: false, journal: noJournal(), clock, fundings });
  const { chain } = ledger;
  /** Of each block. */
  const fees: bigint[] = [];
  return {
    moveClock: (ms) => {
      ledger.moveClock(ms);
    },
    slot: ledger.currentSlot,
    utxosAt: (address) => chain.utxos.at(address).map(asUtxo),
    all: () => [...chain.utxos.all()].map(asUtxo),
    fees: () => fees.reduce((sum, fee) => sum + fee, 0n),
    land(signed) {
      for (const cbor of signed) {
        const submitted = ledger.submit(Buffer.from(cbor, 'hex'));
        if (!submitted.accepted) throw new Error(submitted.message);
      }
      const { transactions } = ledger.mine(1);
      fees.push(transactions.reduce((sum, hash) => sum + chain.viewOf(hash).fee, 0n));
    },
    rollBack() {
      ledger.rollback(1);
      fees.pop();
    },
  };
}

function asUtxo({ hash: txHash, index, output }: ReturnType<Ledger['chain']['utxos']['at']>[number]): Utxo {
  const assets = new Map([...output.amounts].filter(([unit]) => unit !== 'lovelace'));
  return { txHash, index, address: output.address, lovelace: lovelace(output.amounts.get('lovelace') ?? 0n), assets };
}
