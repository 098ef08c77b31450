import { setImmediate as nextEventLoop } from 'node:timers/promises';
import { type Block, createBlocks } from './blocks.ts';
import { type ConfirmedTransaction, createHistory } from './history.ts';
import { type RulesState, applyToRules, rulesStateOf } from './rules.ts';
import { type OutputView, type TransactionView, type Utxo, viewTransaction } from './transaction-view.ts';
import { createUtxoIndex } from './utxo-index.ts';

/** How many blocks can be rolled back. */
export const ROLLBACK_DEPTH = 100;

/** Rollbacks that follow one another reach deeper than one. */
const KEPT_DEPTH = 10 * ROLLBACK_DEPTH;

/** A block as the journal keeps it: its transactions in CBOR hex. */
export interface RecordedBlock {
  slot: number;
  salt: string;
  txs: string[];
}

/** A new block: its transactions are decoded. */
export interface BlockContent {
  slot: number;
  salt: string;
  transactions: TransactionView[];
}

/** The rules' state after each of the last blocks that changed it. */
interface RulesStates {
  /** The rules' state at the tip; fork it before applying anything. */
  atTip(): RulesState;
  keep(height: number, rules: RulesState): void;
  dropAbove(height: number): void;
}

/** The confirmed chain: its blocks, the indexes over them, and the rules' state at each of the last blocks. */
export function createChainState() {
  const index = createChainIndex();
  const rulesStates = createRulesStates();
  return {
    ...index,
    rulesAtTip: () => rulesStates.atTip(),

    /** Adds a block of checked transactions; `rules` is the state after it, null for an empty block. */
    append(content: BlockContent, rules: RulesState | null): Block {
      const block = index.add(content);
      if (rules) rulesStates.keep(block.height, rules);
      return block;
    },

    /** Removes the last `count` blocks; throws RangeError beyond ROLLBACK_DEPTH or past the genesis block. */
    rollback(count: number): void {
      const target = index.blocks.tip().height - count;
      if (count > ROLLBACK_DEPTH || target < 0) throw new RangeError(`cannot roll back ${count} blocks`);
      for (let removed = 0; removed < count; removed += 1) index.removeTip();
      rulesStates.dropAbove(target);
    },

    /** Rebuilds everything from recorded blocks; only those that can be rolled back run through the rules again. */
    async restore(recorded: readonly RecordedBlock[]): Promise<void> {
      const settled = Math.max(1, recorded.length - ROLLBACK_DEPTH);
      for (const [height, block] of recorded.entries()) {
        // The serialization library frees memory only between turns of the event loop.
        if (block.txs.length > 0) await nextEventLoop();
        const content = readBlock(block);
        const rules = height >= settled && block.txs.length > 0 ? replay(rulesStates.atTip(), content) : null;
        index.add(content);
        if (height === settled - 1) rulesStates.keep(height, rulesStateOf(index.utxos.all()));
        else if (rules) rulesStates.keep(height, rules);
      }
    },
  };
}

export type ChainState = ReturnType<typeof createChainState>;

/** Blocks, transactions and unspent outputs, kept together when a block is added or removed. */
function createChainIndex() {
  const blocks = createBlocks();
  const history = createHistory();
  const utxos = createUtxoIndex();
  const views = createViewCache();

  function viewOf(hash: string): TransactionView {
    const confirmed = history.transaction(hash);
    if (!confirmed) throw new Error(`no transaction ${hash}`);
    return views.get(confirmed);
  }

  function outputAt(hash: string, index: number): OutputView {
    const output = viewOf(hash).outputs[index];
    if (!output) throw new Error(`no output ${hash}#${index}`);
    return output;
  }

  return {
    blocks,
    history,
    utxos,
    viewOf,
    outputAt,

    add({ slot, salt, transactions }: BlockContent): Block {
      const block = blocks.push({ slot, salt, transactions: transactions.map((view) => view.hash) });
      for (const [index, view] of transactions.entries()) {
        const spent = view.inputs.map((input) => utxos.remove(input));
        for (const utxo of outputsOf(view)) utxos.add(utxo);
        history.record(view, spent, { height: block.height, index });
      }
      return block;
    },

    removeTip(): void {
      const block = blocks.tip();
      for (const hash of block.transactions.toReversed()) {
        const view = viewOf(hash);
        const spent = view.inputs.map((input) => ({ ...input, output: outputAt(input.hash, input.index) }));
        for (const utxo of outputsOf(view)) utxos.remove(utxo);
        for (const utxo of spent) utxos.add(utxo);
        history.forget(view, spent);
      }
      for (const hash of block.transactions) views.forget(hash);
      blocks.pop();
    },
  };
}

function createRulesStates(): RulesStates {
  let states: { height: number; rules: RulesState }[] = [];
  return {
    atTip() {
      const state = states.at(-1);
      if (!state) throw new Error('the chain has no genesis block yet');
      return state.rules;
    },
    keep(height, rules) {
      states.push({ height, rules });
      const deepest = states.findLastIndex((state) => state.height <= height - KEPT_DEPTH);
      if (deepest > 0) states = states.slice(deepest);
    },
    dropAbove(height) {
      states = states.filter((state) => state.height <= height);
    },
  };
}

function readBlock({ slot, salt, txs }: RecordedBlock): BlockContent {
  return { slot, salt, transactions: txs.map((hex) => viewTransaction(Buffer.from(hex, 'hex'))) };
}

function replay(before: RulesState, { slot, transactions }: BlockContent): RulesState {
  const rules = before.snapshot();
  for (const view of transactions) {
    const verdict = applyToRules(rules, view.cbor, slot);
    if (!verdict.accepted) throw new Error(`recorded transaction ${view.hash} is refused: ${verdict.message}`);
  }
  return rules;
}

function outputsOf(view: TransactionView): Utxo[] {
  return view.outputs.map((output, index) => ({ hash: view.hash, index, output }));
}

const KEPT = 500;

/** A cache of the views read last: clients usually ask about one block several times. */
function createViewCache() {
  const views = new Map<string, TransactionView>();
  return {
    get({ hash, cbor }: ConfirmedTransaction): TransactionView {
      const view = views.get(hash) ?? viewTransaction(cbor);
      views.delete(hash);
      views.set(hash, view);
      const oldest = views.keys().next().value;
      if (views.size > KEPT && oldest !== undefined) views.delete(oldest);
      return view;
    },
    /** For a transaction that was rolled back: it may return under the same hash with other witnesses. */
    forget(hash: string): void {
      views.delete(hash);
    },
  };
}
