import scalus, { type Emulator } from 'scalus';
import { slotConfig } from './network.ts';
import type { Utxo } from './transaction-view.ts';

/** The ledger state as the rules engine keeps it; forks are cheap because they share structure. */
export type RulesState = Emulator;

/** What the ledger rules say about a transaction. */
export type Verdict = { accepted: true } | { accepted: false; message: string };

/** A ledger state that holds exactly these unspent outputs. */
export function rulesStateOf(utxos: Iterable<Utxo>): RulesState {
  return new scalus.Emulator(utxoMap([...utxos]), slotConfig);
}

/** Applies a transaction at `slot`; a refused one leaves the state as it was. */
export function applyToRules(state: RulesState, cbor: Uint8Array, slot: number): Verdict {
  state.setSlot(slot);
  try {
    const result = state.submitTx(cbor);
    return result.isSuccess ? { accepted: true } : refused(result.error ?? 'no reason given');
  } catch (thrown) {
    // The engine returns most refusals, but throws on bytes it cannot decode.
    return { accepted: false, message: submitFailure('DecoderFailure', String(thrown)) };
  }
}

/** A refusal in the shape of a node's response: the Haskell name of the rule first, then the reason. */
export function submitFailure(rule: string, reason: string): string {
  return JSON.stringify({
    tag: 'TxSubmitFail',
    contents: { era: 'ShelleyBasedEraConway', error: [`${rule}: ${reason}`] },
  });
}

const ruleNames: readonly (readonly [pattern: string, rule: string])[] = [
  ['Missing inputs', 'ConwayUtxowFailure (UtxoFailure BadInputsUTxO)'],
  ['Missing reference inputs', 'ConwayUtxowFailure (UtxoFailure BadInputsUTxO)'],
  ['Missing collateral inputs', 'ConwayUtxowFailure (UtxoFailure BadInputsUTxO)'],
  ['Empty transaction inputs', 'ConwayUtxowFailure (UtxoFailure InputSetEmptyUTxO)'],
  ['Missing key hashes', 'ConwayUtxowFailure MissingVKeyWitnessesUTXOW'],
  ['Invalid verified signatures', 'ConwayUtxowFailure InvalidWitnessesUTXOW'],
  ['Invalid native scripts', 'ConwayUtxowFailure ScriptWitnessNotValidatingUTXOW'],
  ['Missing or extra script hashes', 'ConwayUtxowFailure MissingOrExtraneousScriptWitnessesUTXOW'],
  ['Value not conserved', 'ConwayUtxowFailure (UtxoFailure ValueNotConservedUTxO)'],
  ['Fee or collateral', 'ConwayUtxowFailure (UtxoFailure FeeTooSmallUTxO)'],
  ['Transaction outputs are too small', 'ConwayUtxowFailure (UtxoFailure BabbageOutputTooSmallUTxO)'],
  ['Transaction outputs exceed', 'ConwayUtxowFailure (UtxoFailure OutputTooBigUTxO)'],
  ['outside the validity interval', 'ConwayUtxowFailure (UtxoFailure OutsideValidityIntervalUTxO)'],
  ['Transaction size', 'ConwayUtxowFailure (UtxoFailure MaxTxSizeUTxO)'],
  ['Wrong network address', 'ConwayUtxowFailure (UtxoFailure WrongNetwork)'],
  ['Wrong network id', 'ConwayUtxowFailure (UtxoFailure WrongNetworkInTxBody)'],
  ['auxiliary data hash', 'ConwayUtxowFailure ConflictingMetadataHash'],
];

function refused(reason: string): Verdict {
  const rule = ruleNames.find(([pattern]) => reason.includes(pattern))?.[1] ?? 'ConwayLedgerFailure';
  return { accepted: false, message: submitFailure(rule, reason) };
}

function utxoMap(utxos: Utxo[]): Uint8Array {
  const entries = utxos.map((utxo) =>
    Buffer.concat([
      Buffer.from('825820', 'hex'),
      Buffer.from(utxo.hash, 'hex'),
      cborHead(0, utxo.index),
      utxo.output.bytes,
    ]),
  );
  return Buffer.concat([cborHead(5, utxos.length), ...entries]);
}

function cborHead(major: number, value: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8((major << 5) | 26);
  head.writeUInt32BE(value, 1);
  return head;
}
