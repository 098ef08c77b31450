import { expect, test } from '@jest/globals';
import { custodyScript, depositScript, policyScript } from './vault-scripts.ts';
import { scriptJson } from './native-script.ts';
import { instant } from '../../platform/units/time.ts';

const [vault, owner] = ['aa'.repeat(28), 'bb'.repeat(28)];
const sig = (keyHash: string) => ({ type: 'sig', keyHash });

test('a script of every kind has the JSON form of cardano-cli', () => {
  expect(scriptJson(depositScript({ vaultKeyHash: vault, ownerKeyHash: owner, deadlineSlot: 7 }))).toEqual({
    type: 'any',
    scripts: [sig(vault), { type: 'all', scripts: [sig(owner), { type: 'after', slot: 7 }] }],
  });
  expect(
    scriptJson(
      custodyScript({
        vaultKeyHash: vault,
        cosigners: { required: 1, keyHashes: [owner, vault], alone: { from: instant(0), fromSlot: 900_000_000 } },
      }),
    ),
  ).toEqual({
    type: 'all',
    scripts: [
      { type: 'atLeast', required: 1, scripts: [sig(owner), sig(vault)] },
      { type: 'any', scripts: [sig(vault), { type: 'after', slot: 900_000_000 }] },
    ],
  });
  expect(scriptJson(policyScript({ policyKeyHash: vault, deadlineSlot: 9 }))).toEqual({
    type: 'all',
    scripts: [sig(vault), { type: 'before', slot: 9 }],
  });
});
