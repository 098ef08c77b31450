import { expect, test } from '@jest/globals';
import { sale } from '../../../test/signing-policy/governance-samples.ts';
import { refusal } from '../../../test/signing-policy/refusal.ts';
import { ft } from '../../../test/signing-policy/samples.ts';

const { vote, assets } = sale.evidence;
const [unit] = assets.keys();

/** Why the sample is not signed when these assets were anchored with its proposal; null when it is. */
function refused(anchored: unknown): string | null {
  const { created } = vote;
  const fact = { ...created.fact, assets: anchored };
  return refusal('execute', sale, { evidence: { vote: { ...vote, created: { ...created, fact } } } });
}

test('an execution moves the assets that its ids named when it was proposed, whatever rows have come to say', () => {
  expect(refused([{ id: 'asset-1', unit, quantity: '1' }])).toBeNull();
  expect(refused([{ id: 'asset-1', unit: ft, quantity: '1' }])).toMatch(/of which 0 were anchored/);
  expect(refused([{ id: 'asset-1', unit, quantity: '0' }])).toMatch(/of which 0 were anchored/);
});

test('an execution whose assets were not anchored with its proposal is refused', () => {
  expect(refused(undefined)).toMatch(/were not anchored/);
});
