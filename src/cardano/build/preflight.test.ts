import { expect, test } from '@jest/globals';
import { context, depositOf, longUnit, openSlot, ttlSlot, vault, wallet } from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { buildDepositReturn } from './deposits.ts';
import { type TransactionDraft, encodeDraft } from './draft.ts';
import { preflight } from './preflight.ts';
import { signTransaction } from '../keys/witnesses.ts';

const owner = wallet(1);
const deposit = depositOf(owner, 5_000_000n);
const sound = buildDepositReturn(context, {
  deposits: [deposit],
  signers: [vault.key.keyHash],
  ttlSlot,
}).transaction;
const draft: TransactionDraft = {
  inputs: [deposit],
  outputs: sound.outputs,
  ttlSlot,
  signers: [vault.key.keyHash],
};

const check =
  (changed: Partial<TransactionDraft>, fee: bigint = sound.fee, parameters = context.parameters) =>
  () => {
    const signedCbor = signTransaction(encodeDraft({ ...draft, ...changed }, fee), [vault.key]);
    preflight({ signedCbor, inputs: sound.inputs, slot: openSlot, context: { ...context, parameters } });
  };
const breaking = (rule: string) =>
  expect.objectContaining({ code: 'SECURITY_CONSTRAINTS_NOT_MET', details: expect.objectContaining({ rule }) });
const paying = (coin: bigint, address = owner.address) => [{ address, lovelace: lovelace(coin), assets: new Map() }];

test.each<[string, Partial<TransactionDraft>, bigint, string]>([
  ['takes more than it is given', { outputs: paying(5_000_000n) }, sound.fee, 'ValueNotConservedUTxO'],
  [
    'makes an asset',
    { outputs: [{ ...paying(4_000_000n)[0]!, assets: new Map([[longUnit(1), 1n]]) }] },
    1_000_000n,
    'ValueNotConservedUTxO',
  ],
  ['pays too small a fee', { outputs: paying(4_900_000n) }, 100_000n, 'FeeTooSmallUTxO'],
  ['leaves dust', { outputs: paying(100_000n) }, 4_900_000n, 'BabbageOutputTooSmallUTxO'],
  ['has expired', { ttlSlot: openSlot }, sound.fee, 'OutsideValidityIntervalUTxO'],
  [
    'spends without permission',
    { inputs: [{ utxo: deposit.utxo }] },
    sound.fee,
    'MissingOrExtraneousScriptWitnessesUTXOW',
  ],
  [
    'pays to another network',
    { outputs: paying(sound.outputs[0]!.lovelace, 'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8') },
    sound.fee,
    'WrongNetwork',
  ],
])('a transaction that %s is refused with the name of the broken ledger rule', (_what, changed, fee, rule) => {
  expect(check({})).not.toThrow();
  expect(check(changed, fee)).toThrow(breaking(rule));
});

test('a transaction that spends a reference script is refused: it pays no fee for the bytes of the script', () => {
  const signedCbor = signTransaction(sound.cbor, [vault.key]);
  const inputs = sound.inputs.map((input) => ({ ...input, hasReferenceScript: true }));
  expect(() => {
    preflight({ signedCbor, inputs, slot: openSlot, context });
  }).toThrow(breaking('FeeTooSmallUTxO'));
});

test('with other protocol parameters only fees and sizes are left to the chain', () => {
  const parameters = { ...context.parameters, minFeeA: 22n };
  expect(check({ outputs: paying(4_900_000n) }, 100_000n, parameters)).not.toThrow();
  expect(check({ outputs: paying(5_000_000n) }, sound.fee, parameters)).toThrow(breaking('ValueNotConservedUTxO'));
});

test('bytes that are not a transaction are refused without a crash', () => {
  expect(() => {
    preflight({ signedCbor: '84a0', inputs: [], slot: openSlot, context });
  }).toThrow(breaking('LedgerFailure'));
});
