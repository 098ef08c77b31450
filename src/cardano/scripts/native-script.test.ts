import { expect, test } from '@jest/globals';
import {
  context,
  deadlineSlot,
  depositOf,
  keys,
  longUnit,
  openSlot,
  operator,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { splitIntoOutputs } from '../build/outputs.ts';
import { buildWithFee } from '../build/funding.ts';
import type { SigningKey } from '../keys/keys.ts';
import { instant } from '../../platform/units/time.ts';
import { lovelace } from '../../platform/units/money.ts';
import { buildVaultNftMint } from '../build/settlement.ts';
import { scriptAddress } from './address.ts';
import { custodyScript, stakeScript } from './vault-scripts.ts';
import { evaluateScript, type NativeScript } from './native-script.ts';
import type { Utxo } from '../transaction.ts';

const owner = wallet(1);
const stranger = wallet(2);
/** A year of slots after the first one. */
const releaseSlot = openSlot + 365 * 24 * 3600;

interface Spending {
  readonly spent: Utxo;
  readonly script: NativeScript;
  readonly signers: readonly SigningKey[];
  readonly slot: number;
  readonly validFrom?: number;
}

/** Spends a script's UTxO on the real rules, and says whether our own evaluation agrees. */
function spend({ spent, script, signers, slot, validFrom }: Spending): { ledger: string; ours: boolean } {
  const ttlSlot = Math.max(slot, validFrom ?? 0) + 100;
  const built = buildWithFee(context.parameters, (fee) => ({
    inputs: [{ utxo: spent, script }],
    outputs: splitIntoOutputs(context.parameters, owner.address, {
      ...spent,
      lovelace: lovelace(spent.lovelace - fee),
    }),
    ttlSlot,
    ...(validFrom === undefined ? {} : { validFrom }),
    signers: signers.map(({ keyHash }) => keyHash),
  }));
  const signed = new Set(signers.map(({ keyHash }) => keyHash));
  return {
    ledger: verdict(built, signers, slot),
    ours: evaluateScript(script, { signers: signed, ttl: ttlSlot, ...(validFrom === undefined ? {} : { validFrom }) }),
  };
}

test.each([
  ['the owner alone before T', [owner.key], openSlot, undefined, 'ScriptWitnessNotValidatingUTXOW', false],
  [
    'the owner alone before T, claiming to come after it',
    [owner.key],
    openSlot,
    deadlineSlot,
    'OutsideValidityIntervalUTxO',
    true,
  ],
  [
    'the owner after T without saying so',
    [owner.key],
    deadlineSlot + 5,
    undefined,
    'ScriptWitnessNotValidatingUTXOW',
    false,
  ],
  ['a stranger', [stranger.key], openSlot, undefined, 'ScriptWitnessNotValidatingUTXOW', false],
  ['a stranger after T', [stranger.key], deadlineSlot + 5, deadlineSlot, 'ScriptWitnessNotValidatingUTXOW', false],
  ['the vault before T', [vault.key], openSlot, undefined, 'accepted', true],
  ['the vault after T', [vault.key], deadlineSlot + 5, undefined, 'accepted', true],
  [
    'the owner a slot too early, saying so',
    [owner.key],
    deadlineSlot,
    deadlineSlot - 1,
    'ScriptWitnessNotValidatingUTXOW',
    false,
  ],
  ['the owner alone later', [owner.key], deadlineSlot + 9, deadlineSlot + 7, 'accepted', true],
  ['the owner alone from T on', [owner.key], deadlineSlot, deadlineSlot, 'accepted', true],
] as const)('a deposit spent by %s', (_who, signers, slot, validFrom, ledger, ours) => {
  const { utxo: spent, script } = depositOf(owner, 5_000_000n);
  expect(spend({ spent, script, signers, slot, ...(validFrom === undefined ? {} : { validFrom }) })).toEqual({
    ledger,
    ours,
  });
});

const third = wallet(3);
const cosigners = { required: 2, keyHashes: [owner, stranger, third].map(({ key }) => key.keyHash) };
const two = [owner.key, third.key];

test.each([
  [
    'the vault with one of two cosigners',
    [vault.key, owner.key],
    openSlot,
    undefined,
    'ScriptWitnessNotValidatingUTXOW',
  ],
  ['two cosigners without the vault', two, openSlot, undefined, 'ScriptWitnessNotValidatingUTXOW'],
  ['the vault with two cosigners', [vault.key, ...two], openSlot, undefined, 'accepted'],
  ['the vault alone after the date', [vault.key], releaseSlot, releaseSlot, 'ScriptWitnessNotValidatingUTXOW'],
  ['two cosigners a slot too early', two, releaseSlot, releaseSlot - 1, 'ScriptWitnessNotValidatingUTXOW'],
  ['two cosigners, claiming to come later', two, openSlot, releaseSlot, 'OutsideValidityIntervalUTxO'],
  [
    'two cosigners after the date without saying so',
    two,
    releaseSlot + 5,
    undefined,
    'ScriptWitnessNotValidatingUTXOW',
  ],
  ['one cosigner after the date', [owner.key], releaseSlot, releaseSlot, 'ScriptWitnessNotValidatingUTXOW'],
  [
    'one cosigner and a stranger after the date',
    [owner.key, keys.operator],
    releaseSlot,
    releaseSlot,
    'ScriptWitnessNotValidatingUTXOW',
  ],
  ['two cosigners from the date on', two, releaseSlot, releaseSlot, 'accepted'],
  ['all cosigners later', [owner.key, stranger.key, third.key], releaseSlot + 9, releaseSlot + 7, 'accepted'],
  ['the vault with two cosigners after the date', [vault.key, ...two], releaseSlot + 5, undefined, 'accepted'],
] as const)('custody with two of three cosigners, spent by %s', (_who, signers, slot, validFrom, ledger) => {
  const alone = { from: instant(0), fromSlot: releaseSlot };
  const script = custodyScript({ vaultKeyHash: vault.key.keyHash, cosigners: { ...cosigners, alone } });
  const spent = utxo(scriptAddress(script, 0), 5_000_000n);
  const { ours, ...spending } = spend({
    spent,
    script,
    signers,
    slot,
    ...(validFrom === undefined ? {} : { validFrom }),
  });
  expect(spending).toEqual({ ledger });
  // Our own evaluation knows no slot of the ledger, only the interval of the transaction.
  expect(ours).toBe(ledger !== 'ScriptWitnessNotValidatingUTXOW');
});

test.each([
  ['the owner alone', [owner.key], openSlot, undefined, 'ScriptWitnessNotValidatingUTXOW', false],
  ['the vault alone', [vault.key], openSlot, undefined, 'ScriptWitnessNotValidatingUTXOW', false],
  [
    'the vault with a stranger',
    [vault.key, stranger.key],
    openSlot,
    undefined,
    'ScriptWitnessNotValidatingUTXOW',
    false,
  ],
  ['vault and owner', [vault.key, owner.key], openSlot, undefined, 'accepted', true],
  [
    'the owner alone a slot too early',
    [owner.key],
    releaseSlot,
    releaseSlot - 1,
    'ScriptWitnessNotValidatingUTXOW',
    false,
  ],
  ['the owner alone, claiming to come later', [owner.key], openSlot, releaseSlot, 'OutsideValidityIntervalUTxO', true],
  ['the owner alone after 365 days', [owner.key], releaseSlot, releaseSlot, 'accepted', true],
  ['the vault alone after 365 days', [vault.key], releaseSlot, releaseSlot, 'ScriptWitnessNotValidatingUTXOW', false],
  ['a stranger after 365 days', [stranger.key], releaseSlot, releaseSlot, 'ScriptWitnessNotValidatingUTXOW', false],
  ['vault and owner after 365 days', [vault.key, owner.key], releaseSlot, undefined, 'accepted', true],
] as const)('a stake spent by %s', (_who, signers, slot, validFrom, ledger, ours) => {
  const script = stakeScript({ vaultKeyHash: vault.key.keyHash, ownerKeyHash: owner.key.keyHash, releaseSlot });
  const spent = utxo(scriptAddress(script, 0), 2_000_000n, [[longUnit(1), 10n ** 18n]]);
  expect(spend({ spent, script, signers, slot, ...(validFrom === undefined ? {} : { validFrom }) })).toEqual({
    ledger,
    ours,
  });
});

test.each([
  [deadlineSlot - 1, true],
  [deadlineSlot, true],
  [deadlineSlot + 1, false],
])('a policy that ends at T: a transaction valid until slot %i may mint: %s', (ttl, mints) => {
  const built = buildVaultNftMint(context, {
    operator: operator(10_000_000n),
    contractAddress: vault.custodyAddress,
    policy: vault.policy,
    policyKeyHash: vault.policyKey.keyHash,
    nft: { nameHex: '00', name: 'Art' },
    terms: 'ab'.repeat(32),
    ttlSlot: ttl,
  });
  const signers = new Set([vault.policyKey.keyHash]);
  expect(verdict(built, [keys.operator, vault.policyKey]) === 'accepted').toBe(mints);
  expect(evaluateScript(vault.policy, { signers, ttl })).toBe(mints);
  expect(evaluateScript(vault.policy, { signers })).toBe(false);
});
