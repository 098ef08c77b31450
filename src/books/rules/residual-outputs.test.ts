import { expect, test } from '@jest/globals';
import { type HeldOutput, residualReason } from './residual-outputs.ts';

const [policyId, ftPolicy, others] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(28)) as [string, string, string];
const ftUnit = `${ftPolicy}0014df10aa`;
const ended = { status: 'TERMINATED', isPotKept: false, policyId, ftUnit } as const;
const kept = { ...ended, isPotKept: true } as const;
const locked = { ...ended, status: 'LOCKED' } as const;
const held = (output: Partial<HeldOutput>): HeldOutput => ({
  place: 'custody',
  madeBy: 'deliver',
  isUnsolicited: false,
  units: [],
  ...output,
});

test.each([
  ['vault_token', held({ units: [`${policyId}aa`, ftUnit], madeBy: 'create_vault' }), ended],
  ['reference_token', held({ units: [`${ftPolicy}000643b0aa`], madeBy: 'mint' }), ended],
  ['redeemed_tokens', held({ units: [ftUnit] }), ended],
  ['kept_share', held({ units: [ftUnit], madeBy: 'liquidity' }), locked],
  ['asset_without_recipient', held({ units: [`${others}aa`] }), ended],
  ['in_custody', held({ units: [`${others}aa`] }), locked],
  ['in_custody', held({ madeBy: 'execute' }), locked],
  ['unclaimed_lovelace', held({ place: 'claims' }), ended],
  ['redeemed_tokens', held({ place: 'claims', units: [ftUnit] }), ended],
  ['pot', held({ place: 'claims', units: [ftUnit] }), locked],
  ['pot', held({ place: 'claims', units: [ftUnit] }), kept],
  ['pot', held({ place: 'claims' }), kept],
  ['redeemed_tokens', held({ units: [ftUnit] }), kept],
  ['in_settlement', held({ place: 'settlement', units: [ftUnit], madeBy: 'mint' }), locked],
  ['liquidity_share', held({ place: 'liquidity', units: [ftUnit] }), locked],
  ['deposit', held({ place: 'deposit', units: [`${others}aa`], madeBy: 'add_asset' }), ended],
  ['stake', held({ place: 'stake', units: [ftUnit], madeBy: 'stake' }), ended],
  ['unsolicited', held({ units: [`${policyId}aa`], madeBy: null, isUnsolicited: true }), ended],
] as const)('the reason is %s', (reason, output, vault) => {
  expect(residualReason(output, vault)).toBe(reason);
});

test('without a token of the vault, an asset of any other policy is an asset', () => {
  expect(residualReason(held({ units: [ftUnit] }), { ...locked, ftUnit: null })).toBe('in_custody');
});
