import { isShallowCbor } from '../../src/cardano/cbor/depth.ts';
import { type RulesState, applyToRules, submitFailure } from './rules.ts';
import { type TransactionView, viewTransaction } from './transaction-view.ts';

/** The result of a submitted transaction. */
export type Submission = { accepted: true; hash: string } | { accepted: false; message: string };

type CheckResult = { accepted: true; view: TransactionView; rules: RulesState } | { accepted: false; message: string };

/** Accepted transactions that wait for a block, in order, on top of the confirmed state. */
export function createMempool(confirmed: RulesState) {
  let waiting: TransactionView[] = [];
  let rules = confirmed.snapshot();

  /** Restarts from a confirmed state; drops transactions that are no longer valid, and those that depend on them. */
  function rebase(onto: RulesState, slot: number): void {
    rules = onto.snapshot();
    waiting = waiting.filter((view) => applyToRules(rules, view.cbor, slot).accepted);
  }

  return {
    size: () => waiting.length,
    find: (hash: string) => waiting.find((view) => view.hash === hash),
    list: (): readonly TransactionView[] => waiting,
    /** Unspent outputs of an address as the next transaction may use them: [input, output] in CBOR. */
    spendable: (address: string) => rules.getUtxosForAddress(address),
    rebase,
    /** Loses every waiting transaction, as a node that starts again. */
    forget(onto: RulesState): void {
      waiting = [];
      rules = onto.snapshot();
    },

    /** Accepts a transaction on top of the waiting ones, or returns the rule that it breaks. */
    submit(cbor: Uint8Array, slot: number): Submission {
      const checked = checkTransaction(rules, cbor, slot);
      if (!checked.accepted) return checked;
      rules = checked.rules;
      waiting.push(checked.view);
      return { accepted: true, hash: checked.view.hash };
    },

    /** Checks a transaction without keeping it. */
    check(cbor: Uint8Array, slot: number): Submission {
      const checked = checkTransaction(rules, cbor, slot);
      return checked.accepted ? { accepted: true, hash: checked.view.hash } : checked;
    },

    /** Removes and returns what fits a block of `maxBytes` at `slot`, with the state after it; drops expired ones first. */
    take(onto: RulesState, slot: number, maxBytes: number): { transactions: TransactionView[]; rules: RulesState } {
      if (waiting.some((view) => view.validUntil !== null && BigInt(view.validUntil) <= BigInt(slot)))
        rebase(onto, slot);
      const count = countFitting(waiting, maxBytes);
      const transactions = waiting.slice(0, count);
      if (count === waiting.length) {
        waiting = [];
        return { transactions, rules: rules.snapshot() };
      }
      const after = onto.snapshot();
      for (const view of transactions) applyToRules(after, view.cbor, slot);
      waiting = waiting.slice(count);
      return { transactions, rules: after };
    },
  };
}

function countFitting(waiting: TransactionView[], maxBytes: number): number {
  let bytes = 0;
  const overflow = waiting.findIndex((view) => (bytes += view.cbor.length) > maxBytes);
  return overflow === -1 ? waiting.length : overflow;
}

/** The rules check first: some bytes make the serialization library trap, so it reads only what the rules accepted. */
function checkTransaction(onto: RulesState, cbor: Uint8Array, slot: number): CheckResult {
  if (!isShallowCbor(cbor)) return { accepted: false, message: submitFailure('DecoderFailure', 'nested too deep') };
  const rules = onto.snapshot();
  const verdict = applyToRules(rules, cbor, slot);
  if (!verdict.accepted) return verdict;
  try {
    return { accepted: true, view: viewTransaction(cbor), rules };
  } catch (error) {
    return { accepted: false, message: submitFailure('DecoderFailure', String(error)) };
  }
}
