import { randomBytes } from 'node:crypto';
import { type Clock, type Instant, instant } from '../../src/platform/units/time.ts';
import type { Block } from './blocks.ts';
import { type RecordedBlock, createChainState } from './chain-state.ts';
import { type Funding, genesisTransaction } from './genesis.ts';
import { createMempool, type Submission } from './mempool.ts';
import { parameters, slotAt } from './network.ts';
import type { Journal, JournalEntry } from './persistence.ts';

/** The parts of a ledger; `fundings` matter only at the first start. */
export interface LedgerParts {
  /** Whether no two blocks share a slot, as on a public network; a ledger that is faster than its slots cannot do that. */
  hasOwnSlots: boolean;
  journal: Journal;
  clock: Clock;
  fundings: Funding[];
}

/** The embedded ledger without HTTP: chain, mempool, clock, and the journal from which it restarts at the same tip. */
export async function createLedger({ hasOwnSlots, journal, clock: wallClock, fundings }: LedgerParts) {
  const recorded = readJournal(journal.read());
  const clock = createLedgerClock(wallClock, journal, recorded.offsetMs);
  let salt = recorded.salt;
  if (recorded.blocks.length === 0) recorded.blocks.push(beginJournal(journal, fundings, slotAt(clock.now()), salt));

  const chain = createChainState();
  await chain.restore(recorded.blocks);
  const mempool = createMempool(chain.rulesAtTip());

  // Wall clocks may step back, the chain's slots may not.
  const currentSlot = () => Math.max(slotAt(clock.now()), chain.blocks.tip().slot);

  function makeBlock(): Block {
    const slot = hasOwnSlots ? Math.max(slotAt(clock.now()), chain.blocks.tip().slot + 1) : currentSlot();
    const { transactions, rules } = mempool.take(chain.rulesAtTip(), slot, parameters.max_block_size);
    const txs = transactions.map((view) => Buffer.from(view.cbor).toString('hex'));
    journal.append(txs.length > 0 ? { block: slot, txs } : { block: slot });
    return chain.append({ slot, salt, transactions }, transactions.length > 0 ? rules : null);
  }

  return {
    chain,
    mempool,
    ...clock,
    currentSlot,
    makeBlock,

    /** Makes the block that is due by time; none when the present slot has one. */
    tick: (): void => {
      if (!hasOwnSlots || slotAt(clock.now()) > chain.blocks.tip().slot) makeBlock();
    },

    /** Adds a transaction to the mempool; a refusal names the ledger rule. */
    submit: (cbor: Uint8Array): Submission => mempool.submit(cbor, currentSlot()),

    /** Responds as `submit` does, then forgets the transaction, as if it were lost. */
    submitAndLose: (cbor: Uint8Array): Submission => mempool.check(cbor, currentSlot()),

    /** Makes `blocks` blocks, and more until the mempool is empty. */
    mine(blocks: number): Block {
      let block = makeBlock();
      for (let made = 1; made < blocks || mempool.size() > 0; made += 1) block = makeBlock();
      return block;
    },

    /** Rolls back the last `blocks` blocks; their transactions vanish. Throws RangeError beyond ROLLBACK_DEPTH. */
    rollback(blocks: number): Block {
      chain.rollback(blocks);
      salt = newSalt();
      const tip = chain.blocks.tip();
      journal.append({ rollbackTo: tip.height, salt });
      mempool.rebase(chain.rulesAtTip(), currentSlot());
      return tip;
    },
  };
}

export type Ledger = Awaited<ReturnType<typeof createLedger>>;

function beginJournal(journal: Journal, fundings: Funding[], slot: number, salt: string): RecordedBlock {
  const genesis = Buffer.from(genesisTransaction(fundings)).toString('hex');
  journal.append({ genesis, slot, salt });
  return { slot, salt, txs: [genesis] };
}

/** The ledger's clock: the machine's, moved forward by an offset that the journal keeps. */
function createLedgerClock(wallClock: Clock, journal: Journal, initialOffsetMs: number) {
  let offsetMs = initialOffsetMs;
  return {
    now: (): Instant => instant(wallClock.now() + offsetMs),
    offsetMs: () => offsetMs,
    /** Moves the clock to `ms` after the machine's; throws RangeError when that is a step back. */
    moveClock(ms: number): void {
      if (ms < offsetMs) throw new RangeError(`the clock is at ${offsetMs} ms and cannot go back`);
      offsetMs = ms;
      journal.append({ clockOffsetMs: ms });
    },
  };
}

function readJournal(entries: JournalEntry[]): { blocks: RecordedBlock[]; salt: string; offsetMs: number } {
  const blocks: RecordedBlock[] = [];
  let salt = newSalt();
  let offsetMs = 0;
  for (const entry of entries) {
    if ('block' in entry) blocks.push({ slot: entry.block, salt, txs: entry.txs ?? [] });
    else if ('clockOffsetMs' in entry) offsetMs = entry.clockOffsetMs;
    else {
      salt = entry.salt;
      if ('genesis' in entry) blocks.push({ slot: entry.slot, salt, txs: [entry.genesis] });
      else blocks.length = entry.rollbackTo + 1;
    }
  }
  return { blocks, salt, offsetMs };
}

function newSalt(): string {
  return randomBytes(8).toString('hex');
}
